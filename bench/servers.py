"""Starts and ends the servers that are measured, and asks them single things."""
import contextlib
import http.client
import json
import os
import pathlib
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TICK = os.sysconf("SC_CLK_TCK")
# Understudy's defaults (`understudy serve --help`), for the server that is compared with it.
HEADER_MEMORY, CONNECTIONS, IDLE_SECONDS = 8192, 4096, 75
# The same Host for all: absolute URLs in an answer come from it, and bodies are compared.
HOST = "bench.example"
# How long a server may take to start or end, in seconds.
PATIENCE = 30


class CannotMeasure(Exception):
    """Why there is no figure."""


class Server:
    """A server that runs, with all its processes."""

    def __init__(self, process, port, tls_port=None):
        self.process = process
        self.port = port
        self.tls_port = tls_port
        # The workers of uvicorn are its children.
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        self.pids = [process.pid, *map(int, children)]

    def url(self, path, over_tls=False):
        """Where a path is found."""
        return f"https://127.0.0.1:{self.tls_port}{path}" if over_tls else f"http://127.0.0.1:{self.port}{path}"

    def processor_time(self):
        """User and system time so far, in seconds."""
        total = 0
        for pid in self.pids:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICK

    def resident_memory(self):
        """What of its memory is in RAM, in MB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def ask(self, method, path, body=None):
        """Sends one request; the header fields and the body of the answer, which has to be a 200."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        fields = {"Host": HOST} | ({"Content-Type": "application/json"} if body else {})
        try:
            connection.request(method, path, json.dumps(body) if body else None, fields)
            response = connection.getresponse()
            data = response.read()
        finally:
            connection.close()
        if response.status != 200:
            raise CannotMeasure(f"{method} {path} was answered {response.status}: {data[:200]!r}")
        return response.getheaders(), data


def end(process):
    """Asks a process to end, and ends it when it doesn't."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe:
            pipe.close()


@contextlib.contextmanager
def printing_its_address(command, stderr=subprocess.DEVNULL):
    """A server that prints `listening on http://127.0.0.1:PORT` once it does, and before it the same of https."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=stderr, text=True)
    try:
        ports = {}
        said = select.select([process.stdout], [], [], PATIENCE)[0]
        while said and "http" not in ports:
            address = re.match(r"listening on (https?)://127\.0\.0\.1:(\d+)$", process.stdout.readline())
            if not address:
                break
            ports[address[1]] = int(address[2])
        if "http" not in ports:
            raise CannotMeasure(f"{command[0]} did not start")
        yield Server(process, ports["http"], ports.get("https"))
    finally:
        end(process)


# Chance shares a run's connections among a server's threads, and the processor time of a request depends on that more
# than on anything else: with all 64 on one of two threads it was 5 µs where it was 10 with half on each. A server with room for
# hardly more than those has about half on each, always.
EVENLY_SHARED = 80


def understudy(program, folder, *options, level="warning", stderr=subprocess.DEVNULL):
    """Understudy on a data folder."""
    return printing_its_address(
        [program, "serve", "--host", "127.0.0.1", "--port", "0", "--data", folder, "--log-level", level, *options],
        stderr)


def sharing_evenly(program, folder, *options, **how):
    """Understudy as `understudy` has it, for 64 connections that its threads share evenly."""
    return understudy(program, folder, "--max-connections", str(EVENLY_SHARED), *options, **how)


def bare_command(program, folder, fields, body, connections=CONNECTIONS):
    """The command of libmicrohttpd alone with one answer, as Understudy gives it."""
    file = folder / "body"
    file.write_bytes(body)
    sent = [f"{name}: {value}" for name, value in fields if name not in ("Date", "Content-Length", "Connection")]
    return [program, os.cpu_count(), HEADER_MEMORY, connections, IDLE_SECONDS, file, *sent]


@contextlib.contextmanager
def fastapi(database, workers):
    """fastapi_app.py on a database, in so many processes."""
    process = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "fastapi_app:app", "--host", "127.0.0.1", "--port", "0",
         "--workers", str(workers), "--http", "httptools", "--loop", "uvloop", "--no-access-log"],
        cwd=HERE, env=os.environ | {"UNDERSTUDY_DATABASE": str(database), "PYTHONDONTWRITEBYTECODE": "1"},
        start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        # It says the port, and then for each process when it has begun to serve.
        port, begun = None, 0
        for line in process.stderr:
            if address := re.search(r"running on http://127.0.0.1:(\d+)", line):
                port = int(address[1])
            begun += "Application startup complete" in line
            if port and begun == workers:
                break
        else:
            raise CannotMeasure("FastAPI did not start")
        yield Server(process, port)
    finally:
        end(process)
        # Its workers, where it couldn't end them any more.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def fill(program, folder):
    """Makes a data folder with a user, and a directory of 20 people; returns the directory's key."""
    with understudy(program, folder) as server:
        server.ask("POST", "/invasive/users", {"username": "bench", "password": "bench"})
        key = server.ask("POST", "/directory/users", {"name": "bench", "password": "bench"})[1].decode()
        for number in range(1, 21):
            server.ask("POST", f"/directory/people/{key}",
                       {"id": 0, "name": f"Person {number}", "office": f"Room {100 + number}"})
    return key


def copy(folder, to):
    """Copies the data folder of a server that has ended."""
    shutil.copytree(folder, to)
    return to


@contextlib.contextmanager
def rows(folder):
    """The database of a server that has ended, to put rows into in one transaction."""
    database = sqlite3.connect(folder / "understudy.sqlite")
    try:
        yield database
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        database.close()
