"""Measures Understudy beside bare libmicrohttpd, SQLite and FastAPI, and prints one table.

A benchmark is no test: a bound that isn't met is a line of the table. The exit status is 1 where
something could not be measured.
"""
import argparse
import dataclasses
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import competitor
import course
import growth
import instructions
import measure
import reads
import servers
import tls
import writes
from report import Report, Row, facts

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECTIONS = {
    "bare": reads.bare, "instructions": instructions.instructions, "log": reads.log, "tls": tls.tls, "fastapi": competitor.fastapi,
    "durable": writes.durable, "logins": competitor.logins, "storm": course.storm, "observations": growth.observations,
    "people": growth.people, "connections": growth.connections, "course": course.course}


@dataclasses.dataclass
class Bench:
    """What every section works with."""
    program: pathlib.Path
    folder: pathlib.Path
    pairs: int
    seconds: int
    key: str = ""
    root: pathlib.Path = ROOT
    copies: int = 0
    cores: int = os.cpu_count()

    def data(self):
        """A data folder of its own for a server: a user, a directory of 20 people."""
        original = self.folder / "data"
        if not self.key:
            self.key = servers.fill(self.program, original)
        self.copies += 1
        return servers.copy(original, self.folder / f"data-{self.copies}")

    def tool(self, name):
        """Compiles a C program of the benchmark's own."""
        program = self.folder / name
        if not program.exists():
            subprocess.run(
                ["cc", "-O2", "-Wall", "-o", program, servers.HERE / f"{name}.c", "-lmicrohttpd", "-lsqlite3"],
                check=True)
        return program

    def load(self, server, path, connections=64, script=None, **how):
        return measure.load(server, path, connections, self.seconds, script, **how)

    def costs(self, path, *loaded, script=None):
        """Runs of servers in turn, for their processor time: twice as many as elsewhere but one, half as long. What makes
        runs differ is settled at their beginning, so that more of them tell more than longer ones."""
        return measure.in_turn(2 * self.pairs - 1, *(
            lambda server=server: measure.load(server, path, seconds=self.seconds / 2, script=script)
            for server in loaded))

    def raw(self, **runs):
        """Runs as the JSON has them."""
        return {name: [{"rate": round(run.rate, 1), "cost": round(run.cost, 2)} for run in column]
                for name, column in runs.items()}


def arguments():
    parser = argparse.ArgumentParser(prog="script/bench", description=__doc__)
    parser.add_argument("--only", metavar="NAME,…", help=f"some sections: {', '.join(SECTIONS)}")
    parser.add_argument(
        "--pairs", type=int, default=7, metavar="N",
        help="pairs of runs a row (7); twice as many but one, half as long, where processor time is compared")
    parser.add_argument("--seconds", type=int, default=1, metavar="S", help="seconds a run (1)")
    parser.add_argument("--quick", action="store_true", help="one pair, for those who work on the benchmark")
    parser.add_argument("--program", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.names = options.only.split(",") if options.only else list(SECTIONS)
    unknown = [name for name in options.names if name not in SECTIONS]
    if unknown or options.pairs < 1 or options.seconds < 1:
        parser.error(f"there is no section {unknown[0]}" if unknown else "one pair of one second at least")
    if options.quick:
        options.pairs = 1
    return options


def stop(*_):
    sys.exit("ended by a signal")


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, stop)
    # For ten thousand connections.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    began = time.monotonic()
    report = Report()
    # Beside the build, on the disk that durable writes go to: /tmp is memory on some systems.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=ROOT / ".build"))
    try:
        bench = Bench(options.program, folder, options.pairs, options.seconds)
        for name in options.names:
            try:
                for row in SECTIONS[name](bench):
                    report.add(row)
            except (servers.CannotMeasure, OSError, subprocess.SubprocessError) as error:
                report.add(Row(name, name, failure=str(error)))
    except KeyboardInterrupt:
        sys.exit("stopped")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    took = time.monotonic() - began
    settings = f"{options.pairs} pairs of {options.seconds} s, sections {', '.join(options.names)}, took {took:.0f} s"
    known = facts(ROOT, settings)
    if options.names == list(SECTIONS) and not options.quick:
        report.write(ROOT / "bench" / "results", known)
    print("\n" + "\n".join(f"{name}: {value}" for name, value in known.items()))
    print(report.summary())
    return 1 if any(row.failure for row in report.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
