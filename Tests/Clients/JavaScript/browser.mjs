// Opens page.html from an origin of its own in headless Chromium, through chromedriver, and prints
// the page's verdict. The arguments are the server's address and, where the browser is to trust one that the
// machine doesn't, the file of an authority; the browser leaves its files in TMPDIR.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";

const [server, authority] = process.argv.slice(2);
const profile = await mkdtemp(join(tmpdir(), "profile-"));
const types = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript" };
const files = Object.fromEntries(
  ["page.html", "page.mjs", "check.mjs", "directory.mjs", "invasive.mjs"].map((name) =>
    [`/${name}`, new URL(name, import.meta.url)]));
files["/jquery.min.js"] = "/usr/share/javascript/jquery/jquery.min.js";

// Each leads a group of its own, with which everything goes that it has started.
const started = [];
function endAll() {
  for (const { pid } of started) {
    try {
      process.kill(-pid, "SIGKILL");
    } catch { /* it has ended */ }
  }
}
process.on("exit", endAll);
process.on("SIGTERM", () => process.exit(1));

/// Starts a program and gives what a line of its output matches.
async function start(program, options, pattern) {
  const child = spawn(program, options, {
    detached: true, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, HOME: profile },
  });
  started.push(child);
  let log = "";
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (status) => reject(new Error(`${program} ended with ${status}:\n${log}`)));
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on("line", (line) => {
        log += `${line}\n`;
        const match = pattern.exec(line);
        if (match) resolve(match[1]);
      });
    }
  });
}

if (authority) {
  // Where Chromium looks for what its user trusts, on Linux.
  const store = join(profile, ".pki/nssdb");
  await mkdir(store, { recursive: true });
  execFileSync("certutil", ["-A", "-d", `sql:${store}`, "-n", "authority", "-t", "C,,", "-i", authority]);
}

const pages = createServer(async (request, response) => {
  const path = request.url.split("?")[0];
  const file = files[path];
  response.writeHead(file ? 200 : 404, { "Content-Type": types[extname(path)] ?? "text/plain" });
  response.end(file && await readFile(file));
}).listen(0, "127.0.0.1");
await once(pages, "listening");

const [browser, driver] = await Promise.all([
  start("chromium", [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-crash-reporter",
    "--no-proxy-server", `--user-data-dir=${profile}`, "--remote-debugging-port=0", "about:blank",
  ], /^DevTools listening on ws:\/\/([^/]+)\//),
  start("chromedriver", ["--port=0"], /started successfully on port ([0-9]+)/),
]);

/// Sends a command of WebDriver.
async function command(method, path, body) {
  const options = { method, body: body && JSON.stringify(body) };
  const response = await fetch(`http://127.0.0.1:${driver}${path}`, options);
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
  return value;
}

const { sessionId } = await command("POST", "/session", {
  capabilities: { alwaysMatch: { "goog:chromeOptions": { debuggerAddress: browser } } },
});
const session = `/session/${sessionId}`;
await command("POST", `${session}/timeouts`, { script: 40_000, pageLoad: 20_000 });
if (server.startsWith("https:")) {
  // A page isn't told why a connection fails. Whoever opens the address is.
  await command("POST", `${session}/url`, { url: server });
  const [error] = /net::ERR_\w+/.exec(await command("GET", `${session}/source`)) ?? [];
  if (error) throw new Error(`${server}: ${error}`);
}
const page = `http://127.0.0.1:${pages.address().port}/page.html?server=${encodeURIComponent(server)}`;
await command("POST", `${session}/url`, { url: page });
const verdict = await command("POST", `${session}/execute/async`, {
  script: `const done = arguments[0];
    if (window.verdict) window.verdict.then(done); else done("the page's scripts didn't run");`,
  args: [],
});
console.log(verdict ?? "all calls were answered as they should be");
process.exit(verdict === null ? 0 : 1);
