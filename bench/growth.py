"""What a request costs when there is much that it doesn't touch: rows, people, connections."""
import contextlib
import http.client
import random

from measure import Spread, cost, in_turn, post_script
from report import Row, compared, of_runs
from servers import HOST, rows, sharing_evenly, understudy
from writes import SIGHTING

OBSERVATIONS = [0, 10_000, 1_000_000]
PEOPLE = [10, 1000, 100_000]
CONNECTIONS = [10, 1000, 10_000]
# Within 10 % of a server that has nothing; more than nothing may be quicker.
WITHIN = ("≤", 1.1)
# The most memory, in MB: after the start, and with the most idle connections.
AT_START, WITH_CONNECTIONS = 30, 120


def power(number):
    return f"10^{len(str(number)) - 1}" if number > 1000 else str(number)


def with_observations(bench, count):
    """A data folder with so many sightings by 1000 users, beside twenty of user 1."""
    folder = bench.data()
    chance = random.Random(count)
    with rows(folder) as database:
        database.executemany(
            "INSERT INTO user (username, username_nfc, password, realname, phone) VALUES (?1, ?1, '', '', '')",
            [(f"student{number}",) for number in range(1000)])
        insert = "INSERT INTO observation (user, species, park, comment, date) VALUES (?, ?, ?, ?, ?)"
        comment, date = SIGHTING["comment"], SIGHTING["date"]
        database.executemany(insert, [(1, 1, 3, comment, date)] * 20)
        database.executemany(insert, (
            (chance.randrange(2, 1002), chance.randrange(1, 49), chance.randrange(1, 51), comment, date)
            for _ in range(count)))
    return folder


def observations(bench):
    """Reads and writes with 0, 10^4 and 10^6 observations in the database."""
    section = "With observations in the database (processor time ÷ with none)"
    script = post_script(bench.folder, SIGHTING)
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(sharing_evenly(bench.program, with_observations(bench, count)))
                   for count in OBSERVATIONS]
        for name, path, posted in [
            ("GET species", "/invasive/species", None), ("GET observation by id", "/invasive/observations/7", None),
            ("GET a user's 20", "/invasive/observations?user=1&limit=20", None),
            ("POST observation", "/invasive/observations", script)]:
            columns = bench.costs(path, *servers, script=posted)
            yield from beside_first(bench, section, name, OBSERVATIONS, columns)
        yield from memory(servers, OBSERVATIONS, "observations")


def beside_first(bench, section, name, sizes, columns):
    """A row for each size but the first, which the others are compared with."""
    for size, column in list(zip(sizes, columns))[1:]:
        yield compared(
            section, f"{name}, {power(size)}", ratio_to(columns[0], column), WITHIN, ours=of_runs(column),
            other=of_runs(columns[0]), runs=bench.raw(first=columns[0], this=column))


def memory(servers, sizes, what):
    """A row for the memory of each server."""
    for server, size in zip(servers, sizes):
        yield Row("Resident memory after that", f"{power(size)} {what}", f"{server.resident_memory():.1f} MB")


def ratio_to(first, column):
    return Spread.of(cost(run) / cost(base) for run, base in zip(column, first))


def people(bench):
    """A list of 20 people beside somebody's large directory, and what a row of that costs."""
    def with_people(count):
        folder = bench.data()
        with rows(folder) as database:
            database.execute(
                "INSERT INTO directory_user (name, name_nfc, password, key) VALUES ('many', 'many', '', '1234567890')")
            owner = database.execute("SELECT id FROM directory_user WHERE name = 'many'").fetchone()[0]
            database.executemany(
                "INSERT INTO person (user, name, office) VALUES (?, ?, ?)",
                ((owner, f"Person {number % 90 + 10}", f"Room {number % 900 + 100}") for number in range(count)))
        return folder

    with contextlib.ExitStack() as stack:
        # Every list from the database: one that is kept ready costs the same however long it is.
        servers = [
            stack.enter_context(sharing_evenly(bench.program, with_people(count), "--people-cache", "0"))
            for count in PEOPLE]
        columns = bench.costs(f"/directory/people/{bench.key}", *servers)
        yield from beside_first(
            bench, "Beside somebody's directory of so many people (processor time ÷ beside 10)",
            "GET 20 people", PEOPLE, columns)
        # Few connections: the answers that are on their way have a limit together.
        columns = in_turn(bench.pairs, *(
            lambda server=server: bench.load(server, "/directory/people/1234567890", connections=4)
            for server in servers[1:]))
        section = "A directory's whole list (processor time a person ÷ with 1000)"
        per_row = [Spread.of(cost(run) / size * 1e3 for run in column) for size, column in zip(PEOPLE[1:], columns)]
        growth = Spread.of(
            cost(many) / PEOPLE[2] / (cost(few) / PEOPLE[1]) for few, many in zip(*columns))
        yield compared(
            section, f"{power(PEOPLE[2])} people", growth, WITHIN,
            ours=f"{per_row[1].median:.0f} ns", other=f"{per_row[0].median:.0f} ns",
            runs=bench.raw(few=columns[0], many=columns[1]))
        yield from memory(servers, PEOPLE, "people, whole lists sent")


@contextlib.contextmanager
def kept_alive(server, count):
    """So many connections that have made a request each, and wait."""
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            stack.callback(connection.close)
            connection.request("GET", "/invasive/parks/1", headers={"Host": HOST})
            connection.getresponse().read()
        yield


def connections(bench):
    """Reads on 64 connections while others are kept alive, and the memory that these take."""
    with contextlib.ExitStack() as stack:
        # More than there will be: the limit is divided among the threads, connections are not evenly.
        servers = [
            stack.enter_context(understudy(
                bench.program, bench.data(), "--max-connections", "16384", "--idle-timeout", "3600"))
            for _ in CONNECTIONS]
        section = "Resident memory"
        start = Spread.of(server.resident_memory() for server in servers)
        yield Row(section, "after the start", f"{start.median:.1f} MB", bound=("<", AT_START),
                  value=start.median, unit=" MB")
        for server, count in zip(servers, CONNECTIONS):
            stack.enter_context(kept_alive(server, count))
            memory = server.resident_memory()
            bound = ("<", WITH_CONNECTIONS) if count == CONNECTIONS[-1] else None
            yield Row(section, f"{power(count)} idle connections", f"{memory:.1f} MB", bound=bound,
                      value=memory, unit=" MB")
        columns = in_turn(bench.pairs, *(
            lambda server=server: bench.load(server, "/invasive/species") for server in servers))
        yield from beside_first(
            bench, "Beside idle connections (processor time ÷ beside 10)", "GET species", CONNECTIONS, columns)
