// What the calls of both apps share, in Node and in a page.

/// Throws unless what was found is what was expected, compared as JSON.
export function equal(found, expected, what) {
  const [one, other] = [found, expected].map((value) => JSON.stringify(value));
  if (one !== other) throw new Error(`${what}: expected ${other}, got ${one}`);
}

/// Sends a request and gives the response, whose status has to be the given one.
export async function send(method, url, { body, headers = {}, status = 200 } = {}) {
  const options = { method, headers: { ...headers } };
  if (body !== undefined) {
    options.headers["Content-Type"] ??= "application/json";
    options.body = JSON.stringify(body);
  }
  const response = await fetch(url, options);
  if (response.status !== status) {
    throw new Error(
      `${method} ${url}: expected ${status}, got ${response.status}: ${await response.text()}`);
  }
  return response;
}

/// Sends a request that is to be refused, and checks that its error can be read.
export async function refused(status, method, url, options = {}) {
  const response = await send(method, url, { ...options, status });
  equal(response.headers.get("Content-Type"), "application/problem+json", `the type of a ${status}`);
  const id = response.headers.get("X-Request-Id");
  const problem = await response.json();
  equal(problem.status, status, "the status in the error");
  equal(problem.instance, id, "the request's id in the error and in X-Request-Id");
  equal(typeof id === "string" && id.length > 0, true, `there is a request's id: ${id}`);
  equal([problem.type, problem.title, problem.detail].map((text) => typeof text),
    ["string", "string", "string"], "the members of the error");
  return problem;
}

/// Asks again with the ETag of the first answer.
export async function revalidated(url) {
  const first = await send("GET", url);
  const etag = first.headers.get("ETag");
  equal(/^"[^"]+"$/.test(etag), true, `the ETag ${etag} of ${url} is a strong one`);
  await first.arrayBuffer();
  const second = await send("GET", url, { headers: { "If-None-Match": etag }, status: 304 });
  equal(second.headers.get("ETag"), etag, "the ETag of the 304");
  equal(await second.text(), "", "the body of the 304");
  const third = await send("GET", url, { headers: { "If-None-Match": '"other"' } });
  await third.arrayBuffer();
}
