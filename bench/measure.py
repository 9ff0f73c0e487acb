"""Runs under load, made in turn, and what they have in the middle."""
import dataclasses
import json
import math
import re
import signal
import statistics
import subprocess
import time

from servers import HOST, CannotMeasure


@dataclasses.dataclass(frozen=True)
class Run:
    """One load on a server: requests a second, and microseconds of its processor time a request."""
    rate: float
    cost: float


@dataclasses.dataclass(frozen=True)
class Spread:
    """The median of several figures, and the least and greatest of them."""
    median: float
    low: float
    high: float

    @classmethod
    def of(cls, figures):
        figures = list(figures)
        return cls(statistics.median(figures), min(figures), max(figures))

    def text(self, digits=2):
        """As the table has it: 0.91 (0.88–0.94)."""
        return f"{self.median:.{digits}f} ({self.low:.{digits}f}–{self.high:.{digits}f})"


def load(server, path, connections=64, seconds=1, script=None, over_tls=False, keeps_alive=True):
    """Has wrk send a request over and over on so many connections, or each on a new one."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{math.ceil(seconds)}s", "--timeout", "10s", "-H", f"Host: {HOST}",
               server.url(path, over_tls)]
    if script:
        command[1:1] = ["-s", str(script)]
    if not keeps_alive:
        command[1:1] = ["-H", "Connection: close"]
    before = server.processor_time()
    output = output_within(command, seconds)
    used = server.processor_time() - before
    requests = re.search(r"(\d+) requests in", output)
    if not requests or int(requests[1]) == 0 or re.search(r"Non-2xx|Socket errors", output):
        raise CannotMeasure(f"errors under load at {path}: {output[-200:]}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])
    return Run(rate, used / int(requests[1]) * 1e6)


def output_within(command, seconds):
    """What wrk prints. It knows whole seconds only, but ends at an interrupt, and says what it has seen."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            if seconds != int(seconds):
                time.sleep(seconds)
                process.send_signal(signal.SIGINT)
            return process.communicate(timeout=seconds + 60)[0]
        finally:
            process.kill()


def settle(server):
    """Waits until a server has nothing left to do, as after logins that nobody waits for any more."""
    deadline = time.monotonic() + 30
    before = None
    while (used := server.processor_time()) != before:
        if time.monotonic() > deadline:
            raise CannotMeasure("a server still works though nobody asks")
        before = used
        time.sleep(0.1)


def in_turn(pairs, *runs):
    """Makes runs A B A B …; a list for each of them."""
    rounds = [[run() for run in runs] for _ in range(pairs)]
    return [list(column) for column in zip(*rounds)]


def ratio(above, below, pick):
    """The spread of a ratio within each pair of runs."""
    return Spread.of(pick(a) / pick(b) for a, b in zip(above, below))


def rate(run):
    return run.rate


def cost(run):
    return run.cost


def percentile(values, share):
    """The value that so large a share of them doesn't exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def post_script(folder, body):
    """A script for wrk that posts an object."""
    file = folder / "post.lua"
    file.write_text(
        f"wrk.method = 'POST'\nwrk.body = [[{json.dumps(body)}]]\nwrk.headers['Content-Type'] = 'application/json'\n")
    return file
