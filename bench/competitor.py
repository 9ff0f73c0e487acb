"""What a class would otherwise be given: FastAPI on uvicorn, with the same rows and answers."""
import contextlib

from measure import in_turn, post_script, rate, ratio, settle
from reads import PICTURE
from report import compared, of_runs
from servers import CannotMeasure, fastapi as fastapi_on, understudy
from writes import SIGHTING

# As many processes as the machine has cores, which is best for reads. For writes one alone is
# measured too: SQLite has one writer at a time, and a process that waits for another's lock sleeps.
FACTOR = 5


def beside(bench, workers):
    return fastapi_on(bench.data() / "understudy.sqlite", workers)


def fastapi(bench):
    """Reads and durable writes at 64 connections, by rate."""
    section = "Beside FastAPI, 64 connections (our rate ÷ its)"
    with contextlib.ExitStack() as stack:
        ours = stack.enter_context(understudy(bench.program, bench.data()))
        other = stack.enter_context(beside(bench, bench.cores))
        single = stack.enter_context(beside(bench, 1))
        # A page of 20 rows for the list of observations.
        for server in (ours, other, single):
            for _ in range(20):
                server.ask("POST", "/invasive/observations", SIGHTING)
        for name, path in [
            ("species", "/invasive/species"), ("parks", "/invasive/parks"), ("picture", PICTURE),
            ("20 people", f"/directory/people/{bench.key}"),
            ("20 observations", "/invasive/observations?user=1&limit=20")]:
            if ours.ask("GET", path)[1] != other.ask("GET", path)[1]:
                raise CannotMeasure(f"FastAPI answers something else at {path}")
            runs = in_turn(bench.pairs, lambda: bench.load(ours, path), lambda: bench.load(other, path))
            yield compared(
                section, f"GET {name}", ratio(*runs, rate), ("≥", FACTOR), digits=1, ours=of_runs(runs[0]),
                other=of_runs(runs[1]), runs=bench.raw(ours=runs[0], fastapi=runs[1]))
        script = post_script(bench.folder, SIGHTING)
        runs = in_turn(bench.pairs, *(
            lambda server=server: bench.load(server, "/invasive/observations", script=script)
            for server in (ours, other, single)))
        for workers, column in ((bench.cores, runs[1]), (1, runs[2])):
            yield compared(
                section, f"POST observation, {workers} {'process' if workers == 1 else 'processes'}",
                ratio(runs[0], column, rate), ("≥", FACTOR), digits=1, ours=of_runs(runs[0]), other=of_runs(column),
                runs=bench.raw(ours=runs[0], fastapi=column))


def logins(bench):
    """Logins a second, with Argon2id at the same parameters."""
    section = "Logins with Argon2id, 30 connections (our rate ÷ its)"
    path = "/invasive/users?user=bench&password=bench"
    with understudy(bench.program, bench.data()) as ours, beside(bench, bench.cores) as other:
        if ours.ask("GET", path)[1] != other.ask("GET", path)[1]:
            raise CannotMeasure("FastAPI answers something else to a login")

        def load(server):
            run = bench.load(server, path, connections=30)
            settle(server)
            return run

        runs = in_turn(bench.pairs, lambda: load(ours), lambda: load(other))
        yield compared(
            section, "beside FastAPI", ratio(*runs, rate), ours=of_runs(runs[0]), other=of_runs(runs[1]),
            runs=bench.raw(ours=runs[0], fastapi=runs[1]))
