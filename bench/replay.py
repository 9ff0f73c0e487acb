"""Requests at given times, sent by replay.c."""
import dataclasses
import json
import subprocess

from servers import CannotMeasure


@dataclasses.dataclass(frozen=True)
class Request:
    """A request, and after the replay what became of it; times in seconds."""
    # When it is sent, and on which connection.
    due: float
    lane: int
    method: str
    target: str
    body: dict | None = None
    began: float = 0
    sent: float = 0
    done: float = 0
    # 0 where there was no answer.
    status: int = 0

    def line(self):
        body = f" {json.dumps(self.body)}" if self.body else ""
        return f"{self.due * 1e6:.0f} {self.lane} {self.method} {self.target}{body}\n"

    @property
    def wait(self):
        """From its time to its answer, in milliseconds: what waits for the one before it waits too."""
        return (self.done - self.began) * 1e3

    @property
    def latency(self):
        """From sending it to its answer, in milliseconds."""
        return (self.done - self.sent) * 1e3


def replay(bench, server, requests, limit):
    """Sends requests, for so many seconds at most; the same requests with their answers."""
    requests = sorted(requests, key=lambda request: request.due)
    output = subprocess.run(
        [bench.tool("replay"), str(server.port), str(limit)], input="".join(map(Request.line, requests)),
        capture_output=True, text=True, timeout=limit + 30)
    lines = output.stdout.splitlines()
    if len(lines) != len(requests):
        raise CannotMeasure(f"the replay ended early: {output.stderr.strip()}")
    answered = []
    for request, line in zip(requests, lines):
        began, sent, done, status = map(int, line.split())
        answered.append(dataclasses.replace(
            request, began=began / 1e6, sent=sent / 1e6, done=done / 1e6, status=status))
    return answered


def require_200(requests):
    """That all have been answered, and with 200."""
    wrong = [request for request in requests if request.status != 200]
    if wrong:
        first = wrong[0]
        raise CannotMeasure(
            f"{len(wrong)} of {len(requests)} not answered 200: {first.method} {first.target.split('?')[0]}"
            f" {first.status or 'had no answer'}")
    return requests
