"""Reads: beside libmicrohttpd alone, and what the access log costs."""
import contextlib

from measure import cost, ratio
from report import compared, of_runs
from servers import EVENLY_SHARED, bare_command, printing_its_address, sharing_evenly

PICTURE = "/invasive/images/garlic-mustard.png"


def targets(key):
    """What is read, and how much of libmicrohttpd's own speed is to be reached."""
    return [
        ("species", "/invasive/species", 0.85), ("parks", "/invasive/parks", 0.85), ("picture", PICTURE, 0.85),
        ("20 people", f"/directory/people/{key}", 0.5)]


def bare(bench):
    """The same answers from libmicrohttpd alone, by processor time a request."""
    with sharing_evenly(bench.program, bench.data()) as ours:
        for name, path, bound in targets(bench.key):
            yield beside_bare(bench, ours, name, path, ("≥", bound))
    # What the first reading of a list costs, and each one after a change.
    with sharing_evenly(bench.program, bench.data(), "--people-cache", "0") as ours:
        name, path, _ = targets(bench.key)[-1]
        yield beside_bare(bench, ours, f"{name}, read from the database", path)


def beside_bare(bench, ours, name, path, bound=None):
    command = bare_command(bench.tool("bare"), bench.folder, *ours.ask("GET", path), EVENLY_SHARED)
    with printing_its_address(command) as other:
        runs = bench.costs(path, ours, other)
    return compared(
        "Beside libmicrohttpd alone, 64 connections (its processor time ÷ ours)", f"GET {name}",
        ratio(runs[1], runs[0], cost), bound, ours=of_runs(runs[0]), other=of_runs(runs[1]),
        runs=bench.raw(ours=runs[0], bare=runs[1]))


def log(bench):
    """A server that writes its access log to a file, beside one that writes none."""
    section = "The access log, as JSON to a file (processor time with ÷ without)"
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(open(bench.folder / "access.log", "wb"))
        logging = stack.enter_context(
            sharing_evenly(bench.program, bench.data(), "--log-format", "json", level="info", stderr=file))
        silent = stack.enter_context(sharing_evenly(bench.program, bench.data()))
        for name, path, _ in targets(bench.key):
            if name not in ("species", "20 people"):
                continue
            runs = bench.costs(path, logging, silent)
            yield compared(
                section, f"GET {name}", ratio(*runs, cost), ("<", 1.1), ours=of_runs(runs[0]),
                other=f"{of_runs(runs[1])} silent", runs=bench.raw(logging=runs[0], silent=runs[1]))
