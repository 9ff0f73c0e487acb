"""Starts a server, sends it mixed requests, and looks for what it doesn't give back.

    leaks.py [--growth MIB] [--requests N] PROGRAM

The requests are of every kind: those that are answered, those that are refused, logins, bytes that are no request,
and clients that go away in the middle. Afterwards as many descriptors have to be open as after the warm-up, a tenth
of the requests, and the program has to end with status 0 when it is told to: one that LeakSanitizer is built into
doesn't when something has leaked. With --growth it may have taken so many MiB of memory more than after the warm-up.
"""

import argparse
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

BATCH = 20  # requests that are sent at once on a connection
CONNECTIONS = 4


def request(method, target, body=None, fields=""):
    if isinstance(body, dict):
        body = json.dumps(body)
    if body is not None:
        fields += f"Content-Length: {len(body)}\r\n"
    return f"{method} {target} HTTP/1.1\r\nHost: a\r\n{fields}\r\n{body or ''}".encode()


def sighting(**other):
    return {"user": 1, "species": 4, "park": 13, "comment": "on the north shore", "date": "2026-06-01"} | other


def kinds(key, number):
    """Requests with the status that each has to be answered with, and how often it comes."""
    people = f"/directory/people/{key}"
    yield 8, "GET", "/invasive/species", None, "", 200
    yield 8, "GET", f"/invasive/parks/{number % 50 + 1}", None, "", 200
    yield 2, "HEAD", "/invasive/parks", None, "", 200
    yield 2, "GET", "/invasive/images/garlic-mustard.png", None, "If-None-Match: *\r\n", 304
    yield 1, "GET", "/invasive/images/garlic-mustard.png", None, "", 200
    yield 6, "GET", "/invasive/observations?limit=20&user=1", None, "", 200
    yield 6, "POST", "/invasive/observations", sighting(), "", 200
    yield 3, "POST", "/invasive/observations", sighting(), "Idempotency-Key: one\r\n", 200
    yield 2, "POST", "/invasive/observations", sighting(comment=number), "", 400
    yield 2, "POST", "/invasive/observations", sighting(park=99), "", 422
    yield 2, "POST", "/invasive/observations", sighting(park=7), "Idempotency-Key: one\r\n", 422
    yield 2, "POST", "/invasive/observations", '{"user":', "", 400
    yield 2, "GET", "/invasive/observations?limit=0", None, "", 400
    yield 2, "GET", f"/nowhere/{number}?a=b", None, "", 404
    yield 1, "DELETE", "/invasive/species", None, "", 405
    yield 1, "OPTIONS", "/invasive/users", None, "Access-Control-Request-Method: POST\r\n", 204
    yield 3, "GET", people + "/1", None, "", 200
    yield 3, "PUT", people + "/1", {"name": "Grace", "office": "B 12", "phone": f"{number}"}, "", 200
    yield 2, "DELETE", f"{people}/{10**9 + number}", None, "", 404
    yield 1, "GET", "/directory/people/123", None, "", 404
    yield 0.1, "GET", "/invasive/users?user=ada&password=secret", None, "", 200
    # Each time another one, whom nobody has tried so often that he has to wait.
    yield 0.1, "GET", f"/invasive/users?user=nobody{random.getrandbits(64)}&password=wrong", None, "", 401
    yield 0.05, "POST", "/invasive/observations", "x" * (2 << 20), "", 413


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def answer(self, method):
        """Reads an answer's status and body."""
        while b"\r\n\r\n" not in self.received:
            self.receive()
        header, _, self.received = self.received.partition(b"\r\n\r\n")
        status = int(header[9:12])
        length = re.search(rb"(?im)^content-length: (\d+)", header)
        length = int(length[1]) if length and method != "HEAD" and status not in (204, 304) else 0
        while len(self.received) < length:
            self.receive()
        body, self.received = self.received[:length], self.received[length:]
        return status, body

    def receive(self):
        piece = self.socket.recv(1 << 18)
        if not piece:
            sys.exit("the server closed the connection")
        self.received += piece

    def close(self):
        self.socket.close()


def ask(port, *wanted):
    connection = Connection(port)
    connection.socket.sendall(request(*wanted))
    status, body = connection.answer(wanted[0])
    connection.close()
    if status != 200:
        sys.exit(f"{wanted[:2]} is answered {status}: {body.decode()}")
    return body.decode()


def vanish(port, choice):
    """A client that goes away, in one of several ways."""
    connection = Connection(port)
    whole = request("POST", "/invasive/observations", sighting())
    if choice == 0:
        connection.socket.sendall(whole[: random.randrange(len(whole))])
    elif choice == 1:
        connection.socket.sendall(whole)
    elif choice == 2:
        connection.socket.sendall(request("GET", "/invasive/species") * 50)
    else:
        connection.socket.sendall(b"\x16\x03\x01 this is no request\r\n\r\n")
    if random.random() < 0.5:
        # Ends with a reset instead of a farewell.
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def send(port, key, count, failures):
    try:
        connection = Connection(port)
        for number in range(0, count, BATCH):
            known = list(kinds(key, number))
            chosen = random.choices(known, [kind[0] for kind in known], k=BATCH)
            connection.socket.sendall(b"".join(request(*kind[1:5]) for kind in chosen))
            for kind in chosen:
                status, body = connection.answer(kind[1])
                if status != kind[5]:
                    return failures.append(f"{kind[1:5]} is answered {status}: {body[:500]}")
            if random.random() < 0.2:
                vanish(port, random.randrange(4))
            if random.random() < 0.05:
                connection.close()
                connection = Connection(port)
        connection.close()
    except OSError as error:
        failures.append(str(error))


def mixed_requests(port, key, count):
    failures = []
    threads = [
        threading.Thread(target=send, args=(port, key, count // CONNECTIONS, failures)) for _ in range(CONNECTIONS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        sys.exit(failures[0])


def descriptors(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))


def settled(process):
    """How many descriptors are open, and the memory in KiB, once the connections are closed."""
    def is_socket(name):
        try:
            return os.readlink(f"/proc/{process.pid}/fd/{name}").startswith("socket:")
        except FileNotFoundError:
            return False

    def connected():
        return [name for name in os.listdir(f"/proc/{process.pid}/fd") if is_socket(name)]

    end = time.monotonic() + 30
    while len(connected()) > 1 and time.monotonic() < end:
        time.sleep(0.05)
    with open(f"/proc/{process.pid}/status") as status:
        memory = int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])
    return descriptors(process), memory


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--growth", type=float)
    options = parser.parse_args()
    random.seed(1)
    process = subprocess.Popen(
        [options.program, "serve", "--ephemeral", "--port", "0", "--log-level", "debug"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        for line in process.stdout:
            if "localhost:" in line:
                port = int(line.rsplit(":", 1)[1])
                break
        else:
            sys.exit("the server didn't start")
        ask(port, "POST", "/invasive/users", {"username": "ada", "password": "secret"})
        ask(port, "POST", "/invasive/observations", sighting(), "Idempotency-Key: one\r\n")
        key = ask(port, "POST", "/directory/users", {"name": "ada", "password": "secret"})
        ask(port, "POST", f"/directory/people/{key}", {"name": "Grace"})
        mixed_requests(port, key, options.requests // 10)
        files, memory = settled(process)
        start = time.monotonic()
        mixed_requests(port, key, options.requests)
        seconds = time.monotonic() - start
        files_after, memory_after = settled(process)
        growth = (memory_after - memory) / 1024
        print(
            f"{options.requests} requests in {seconds:.0f} s: descriptors {files} and then {files_after}, "
            f"memory {memory / 1024:.1f} MiB and then {memory_after / 1024:.1f}")
        if files_after != files:
            sys.exit("descriptors are left open")
        if options.growth is not None and growth > options.growth:
            sys.exit(f"it takes {growth:.1f} MiB more, and may take {options.growth}")
        process.send_signal(signal.SIGTERM)
        status = process.wait(60)
        if status != 0:
            sys.exit(f"it ended with status {status}")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


main()
