"""The table of what was measured: on the terminal, as Markdown and as JSON."""
import dataclasses
import datetime
import json
import os
import pathlib
import platform
import re
import sqlite3
import subprocess

from measure import Spread


@dataclasses.dataclass
class Row:
    """A line of the table."""
    section: str
    name: str
    # What Understudy does, and what it is compared with.
    ours: str = ""
    other: str = ""
    # The figure that counts, as it is shown.
    figure: str = ""
    # What it is to reach: ("≥", 0.85), or nothing.
    bound: tuple | None = None
    value: float | None = None
    unit: str = ""
    # Why it couldn't be measured.
    failure: str = ""
    # Every run, for the JSON.
    runs: dict = dataclasses.field(default_factory=dict)

    def to_reach(self):
        return f"{self.bound[0]} {self.bound[1]:g}{self.unit}" if self.bound else ""

    def is_met(self):
        """None where there is nothing to reach."""
        if self.failure or not self.bound:
            return None
        sign, limit = self.bound
        return {"≥": self.value >= limit, "≤": self.value <= limit, "<": self.value < limit}[sign]

    def cells(self):
        verdict = {None: "", True: "met", False: "NOT MET"}[self.is_met()]
        if self.failure:
            return [self.name, "", "", "not measured", self.to_reach(), self.failure]
        return [self.name, self.ours, self.other, self.figure, self.to_reach(), verdict]


def compared(section, name, spread, bound=None, unit="", digits=2, **others):
    """A row whose figure is a ratio."""
    return Row(section, name, figure=spread.text(digits) + unit, bound=bound, value=spread.median, unit=unit, **others)


def of_runs(runs):
    """Rate and cost of the run in the middle: `31 200/s, 22.4 µs`."""
    rate, cost = Spread.of(run.rate for run in runs).median, Spread.of(run.cost for run in runs).median
    return f"{grouped(rate)}/s, {cost:.1f} µs"


def grouped(number):
    return f"{number:,.0f}".replace(",", " ")


HEAD = ["", "Understudy", "beside", "ratio (least–greatest)", "to reach", ""]


class Report:
    """Collects rows and prints each as soon as it is there."""
    WIDTHS = [44, 26, 26, 24, 11, 8]

    def __init__(self):
        self.rows = []

    def add(self, row):
        if not self.rows:
            self.line(HEAD)
        if not self.rows or self.rows[-1].section != row.section:
            print(f"\n{row.section}", flush=True)
        self.rows.append(row)
        self.line(row.cells())

    def line(self, cells):
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, self.WIDTHS)).rstrip(), flush=True)

    def summary(self):
        verdicts = [row.is_met() for row in self.rows if row.is_met() is not None]
        failures = sum(bool(row.failure) for row in self.rows)
        text = f"{sum(verdicts)} of {len(verdicts)} bounds met"
        return text + (f"; {failures} rows could not be measured" if failures else "")

    def markdown(self, facts):
        lines = ["# Benchmark", "", *(f"- {name}: {value}" for name, value in facts.items()), f"- {self.summary()}", ""]
        section = None
        for row in self.rows:
            if row.section != section:
                section = row.section
                lines += ["", f"## {section}", "", "|".join(["", *HEAD, ""]), "|---" * len(HEAD) + "|"]
            verdict = "**not met**" if row.is_met() is False else row.cells()[-1]
            lines.append("|".join(["", *row.cells()[:-1], verdict, ""]))
        return "\n".join(lines) + "\n"

    def json(self, facts):
        """A line for each row."""
        rows = [json.dumps(dataclasses.asdict(row) | {"met": row.is_met()}, ensure_ascii=False) for row in self.rows]
        head = json.dumps(facts, ensure_ascii=False, indent=1)
        return f'{{"facts": {head},\n"rows": [\n' + ",\n".join(rows) + "\n]}\n"

    def write(self, folder, facts):
        """Writes `latest`, which is kept in the repository, and one by date and commit, which isn't."""
        folder.mkdir(exist_ok=True)
        for name in ("latest", f"{facts['date'][:10]}-{facts['commit'].split()[0]}"):
            (folder / f"{name}.md").write_text(self.markdown(facts))
            (folder / f"{name}.json").write_text(self.json(facts))


def said(*command):
    """The first line that a command prints, or nothing."""
    try:
        output = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return (output.stdout + output.stderr).split("\n")[0].strip()


def facts(root, settings):
    """What the figures hang on."""
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    changed = said("git", "-C", str(root), "status", "--porcelain", "--untracked-files=no")
    versions = {name: said("pkg-config", "--modversion", name) for name in ("libmicrohttpd", "gnutls", "sqlite3", "libsodium")}
    packages = {}
    for line in (root / "bench" / "requirements.txt").read_text().split("\n"):
        if name := re.match(r"(fastapi|uvicorn|orjson)==(.*)", line):
            packages[name[1]] = name[2]
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": (said("git", "-C", str(root), "rev-parse", "--short", "HEAD") or "unknown")
        + (" and changes" if changed else ""),
        "settings": settings,
        "processor": f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores",
        "memory": f"{memory:.0f} GB",
        "system": f"{platform.system()} {platform.release()}, load {os.getloadavg()[0]:.1f} at the end",
        "libraries": ", ".join(f"{name} {version}" for name, version in versions.items()),
        "Swift": said("swift", "--version"),
        "beside it": ", ".join(f"{name} {version}" for name, version in packages.items())
        + f" on Python {platform.python_version()} with SQLite {sqlite3.sqlite_version}",
        "tools": ", ".join([
            said("wrk", "-v").split(" Copyright")[0], said("valgrind", "--version"), said("cc", "--version")]),
    }
