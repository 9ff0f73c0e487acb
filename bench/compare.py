#!/usr/bin/env python3
"""Understudy beside bare libmicrohttpd: the same bytes from both, in runs made in turn.

    bench/compare.py PROGRAM [--seconds S] [--pairs N]

Prints, for each request, requests a second and the server's processor time a request (user and
system, from /proc/<pid>/stat), as medians, and the ratio of each pair of runs. Needs wrk and cc.
"""
import argparse, http.client, json, os, re, statistics, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TICK = os.sysconf("SC_CLK_TCK")


def processor_time(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def start(command):
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in server.stdout:
        if line.startswith("listening on http://127.0.0.1") or line.strip() == "listening":
            return server, line.strip()
    sys.exit(f"{command[0]} did not start")


def ask(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request(method, path, body)
    response = connection.getresponse()
    data = response.read()
    assert response.status == 200, (response.status, data)
    return response, data


def load(port, path, connections, seconds, script):
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", f"http://127.0.0.1:{port}{path}"]
    if script:
        command[1:1] = ["-s", script]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if re.search(r"Non-2xx|Socket errors", output):
        sys.exit(f"errors under load at {path}:\n{output}")
    return int(re.search(r"(\d+) requests in", output)[1]), float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])


def measure(server, port, path, connections, seconds, script):
    before = processor_time(server.pid)
    requests, rate = load(port, path, connections, seconds, script)
    return rate, (processor_time(server.pid) - before) / requests * 1e6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=7)
    options = parser.parse_args()
    folder = tempfile.mkdtemp()
    subprocess.run(["cc", "-O2", "-o", f"{folder}/bare", f"{HERE}/bare.c", "-lmicrohttpd"], check=True)
    ours, line = start(
        [options.program, "serve", "--host", "127.0.0.1", "--port", "0", "--ephemeral", "--log-level", "warning"])
    port = int(line.rsplit(":", 1)[1])
    memory = next(l.split()[1] for l in open(f"/proc/{ours.pid}/status") if l.startswith("VmRSS"))
    print(f"resident memory after start: {int(memory) / 1024:.1f} MB")

    user = json.loads(ask(port, "POST", "/invasive/users", '{"username":"bench","password":"bench"}')[1])["iduser"]
    key = ask(port, "POST", "/directory/users", '{"name":"bench","password":"bench"}')[1].decode()
    for number in range(20):
        ask(port, "POST", f"/directory/people/{key}",
            json.dumps({"id": 0, "name": f"Person {number}", "office": f"Room {100 + number}"}))
    sighting = json.dumps(
        {"user": user, "species": 1, "park": 3, "comment": "by the north shore", "date": "2026-06-01"})
    script = f"{folder}/post.lua"
    with open(script, "w") as file:
        file.write(f"wrk.method = 'POST'\nwrk.body = '{sighting}'\n")

    rows = [
        ("GET /invasive/species", "/invasive/species", None),
        ("GET /directory/people/<key>, 20 people", f"/directory/people/{key}", None),
        ("POST /invasive/observations", "/invasive/observations", script),
    ]
    print(f"{'64 connections':40} {'ours/s':>8} {'bare/s':>8} {'ours µs':>8} {'bare µs':>8}  bare/ours by processor time")
    for name, path, script in rows:
        response, body = ask(port, "POST" if script else "GET", path, sighting if script else None)
        with open(f"{folder}/body", "wb") as file:
            file.write(body)
        fields = [f"{n}: {v}" for n, v in response.getheaders() if n not in ("Date", "Content-Length", "Connection")]
        bare_port = port + 1
        bare, _ = start([f"{folder}/bare", str(bare_port), str(os.cpu_count()), "8192", f"{folder}/body", *fields])
        pairs = []
        for _ in range(options.pairs):
            pairs.append((measure(ours, port, path, 64, options.seconds, script),
                          measure(bare, bare_port, path, 64, options.seconds, script)))
        bare.terminate()
        bare.wait()
        ratios = sorted(b[1] / o[1] for o, b in pairs)
        median = lambda pick: statistics.median(map(pick, pairs))
        print(f"{name:40} {median(lambda p: p[0][0]):8.0f} {median(lambda p: p[1][0]):8.0f}"
              f" {median(lambda p: p[0][1]):8.1f} {median(lambda p: p[1][1]):8.1f}"
              f"  {statistics.median(ratios):.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f})")
    ours.terminate()
    print("exit status", ours.wait())


main()
