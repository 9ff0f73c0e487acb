"""Durable writes: a row that was answered 200 is on the disk, in the server as in a C loop."""
import resource
import subprocess

from measure import Run, in_turn, post_script, rate, ratio
from report import compared, of_runs
from servers import understudy

SIGHTING = {"user": 1, "species": 1, "park": 3, "comment": "by the north shore", "date": "2026-06-01"}
WRITERS = [1, 16, 64, 256]
# At 64 connections: of what the C loop does with batches of 64, and of what one connection does.
SHARE, GAIN = 0.3, 8


def commits(program, database, batch, seconds):
    """The C loop, with so many rows a transaction."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    output = subprocess.run(
        [program, database, str(batch), str(seconds)], capture_output=True, text=True, check=True).stdout
    return Run(float(output), (used() - before) / (float(output) * seconds) * 1e6)


def durable(bench):
    """Rows a second with so many writers, beside a C loop that commits as many at a time."""
    section = "Durable writes, beside a C loop with batches of that size (our rate ÷ its)"
    script = post_script(bench.folder, SIGHTING)
    database = bench.data() / "understudy.sqlite"
    loop = bench.tool("commits")
    with understudy(bench.program, bench.data()) as server:
        runs = in_turn(bench.pairs, *(
            run for writers in WRITERS for run in (
                lambda writers=writers: bench.load(server, "/invasive/observations", writers, script),
                lambda writers=writers: commits(loop, database, writers, bench.seconds))))
    columns = dict(zip(WRITERS, zip(runs[::2], runs[1::2])))
    for writers, (ours, other) in columns.items():
        yield compared(
            section, f"{writers} connections" if writers > 1 else "1 connection", ratio(ours, other, rate),
            ("≥", SHARE) if writers == 64 else None, ours=of_runs(ours), other=of_runs(other),
            runs=bench.raw(ours=ours, loop=other))
    many, one = columns[64][0], columns[1][0]
    yield compared(section, "64 connections beside 1", ratio(many, one, rate), ("≥", GAIN), digits=1,
                   ours=of_runs(many), other=of_runs(one), runs=bench.raw(many=many, one=one))
