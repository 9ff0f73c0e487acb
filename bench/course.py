"""A course: a class that logs in at once, one that opens the app at once, and an evening."""
import random

from measure import Spread, in_turn, percentile, settle
from replay import Request, replay, require_200
from report import Row, compared
from servers import rows, understudy
from writes import SIGHTING

CLASS = 30
# Of URLSession to one host (httpMaximumConnectionsPerHost on iOS is 4, on macOS 6).
CONNECTIONS = 6
# How often reads are sent while 30 log in, and on how many connections.
PROBE_EVERY, PROBE_LANES = 0.004, 4

# An evening of 100 000 students, each of whom uses the app five times a week: three of five times
# between 18 and 23 h, and in the busiest minutes three times as often as on average.
STUDENTS, SESSIONS_A_WEEK, EVENING_SHARE, EVENING_HOURS, PEAK = 100_000, 5, 0.6, 5, 3
SESSIONS_A_SECOND = STUDENTS * SESSIONS_A_WEEK / 7 * EVENING_SHARE / (EVENING_HOURS * 3600) * PEAK
EVENING_SECONDS = 20


def students(bench, count):
    """A data folder in which so many students have signed up; their password is `bench`."""
    folder = bench.data()
    with rows(folder) as database:
        database.executemany(
            "INSERT INTO user (username, username_nfc, password, realname, phone)"
            " SELECT ?1, ?1, password, '', '' FROM user WHERE username = 'bench'",
            [(f"student{number}",) for number in range(count)])
    return folder


def login(due, lane, student):
    return Request(due, lane, "GET", f"/invasive/users?user=student{student}&password=bench")


def quiet_and_storm(bench, server):
    """The p99 of reads, in milliseconds, while nothing else happens, and while 30 log in over and over."""
    seconds = 2 * bench.seconds
    probes = [
        Request(number * PROBE_EVERY, number % PROBE_LANES, "GET",
                "/invasive/species" if number % 2 else f"/directory/people/{bench.key}")
        for number in range(int(seconds / PROBE_EVERY))]
    # More logins than there can be answers to: the replay ends with the last read.
    storm = [login(0, PROBE_LANES + student, student) for student in range(CLASS) for _ in range(20 * seconds)]

    def p99(requests):
        answered = replay(bench, server, requests, seconds + 0.2)
        settle(server)
        reads = require_200([request for request in answered if request.lane < PROBE_LANES])
        return percentile([request.wait for request in reads], 0.99)

    return in_turn(bench.pairs, lambda: p99(probes), lambda: p99(probes + storm))


def storm(bench):
    """What 30 logins at once do to reads."""
    section = "Reads while 30 log in over and over (p99 ÷ quiet p99)"
    with understudy(bench.program, students(bench, CLASS)) as server:
        quiet, storm = quiet_and_storm(bench, server)
    yield compared(
        section, f"{1 / PROBE_EVERY:.0f} reads/s", Spread.of(s / q for s, q in zip(storm, quiet)), ("<", 3),
        ours=f"{Spread.of(storm).median:.2f} ms in the storm", other=f"{Spread.of(quiet).median:.2f} ms quiet",
        runs={"quiet": quiet, "storm": storm})


def class_opens(pictures):
    """What 30 phones send that open the app at the same moment."""
    requests = []
    for student in range(CLASS):
        lanes = range(student * CONNECTIONS, (student + 1) * CONNECTIONS)
        # The login keeps one connection to itself; the pictures share the others.
        requests += [login(0, lanes[0], student), Request(0, lanes[1], "GET", "/invasive/species"),
                     Request(0, lanes[2], "GET", "/invasive/parks")]
        requests += [Request(0, lanes[1 + number % 5], "GET", picture) for number, picture in enumerate(pictures)]
    return requests


def session(start, lane, key, student):
    """What the app of one student sends, on one connection: seven requests in three seconds."""
    uploads = [Request(start + 1 + 0.5 * number, lane, "POST", "/invasive/observations", SIGHTING)
               for number in range(3)]
    return [login(start, lane, student), Request(start + 0.3, lane, "GET", "/invasive/species"),
            Request(start + 0.3, lane, "GET", "/invasive/parks"), *uploads,
            Request(start + 3, lane, "GET", f"/directory/people/{key}")]


def evening(key, seconds):
    """Sessions that begin independently of each other (Poisson), the same each time."""
    chance = random.Random(106)
    requests, at, lane = [], 0.0, 0
    while (at := at + chance.expovariate(SESSIONS_A_SECOND)) < seconds:
        requests += session(at, lane, key, lane % 1000)
        lane += 1
    return requests, lane


def percentiles(times):
    return f"p50 {percentile(times, 0.5):.2f}, p99 {percentile(times, 0.99):.1f}, most {max(times):.1f} ms"


def course(bench):
    """Whether everything is answered, and how soon."""
    with understudy(bench.program, students(bench, 1000)) as server:
        names = sorted(file.name for file in (bench.root / "seed" / "images").iterdir())
        requests = class_opens([f"/invasive/images/{name}" for name in names])
        times, reads, ends = [], [], []
        for _ in range(bench.pairs):
            answered = require_200(replay(bench, server, requests, 30))
            opened = [request for request in answered if "/users?" not in request.target]
            reads += [request.latency for request in opened]
            times.append(max(request.done for request in opened))
            ends.append(max(request.done for request in answered))
        section = f"A class of {CLASS} opens the app at once: {len(requests)} requests, all answered 200"
        yield Row(section, "until all have lists and pictures", f"{Spread.of(times).text()} s", runs={"seconds": times})
        yield Row(section, "until all are logged in too", f"{Spread.of(ends).text()} s", runs={"seconds": ends})
        yield Row(section, "each list or picture", percentiles(reads))

        seconds = EVENING_SECONDS if bench.pairs > 1 else 5
        requests, sessions = evening(bench.key, seconds)
        before = server.processor_time()
        answered = require_200(replay(bench, server, requests, seconds + 10))
        share = (server.processor_time() - before) / max(request.done for request in answered) / bench.cores
        section = (f"An evening's peak of {STUDENTS} students: {SESSIONS_A_SECOND:.1f} sessions/s of 7 requests,"
                   f" {sessions} in {seconds} s, all answered 200")
        kinds = [("logins", "/users?"), ("lists", "/species"), ("uploads", "/observations"), ("20 people", "/people/")]
        for name, part in kinds:
            yield Row(section, name, percentiles([r.wait for r in answered if part in r.target or
                                                  (name == "lists" and "/parks" in r.target)]))
        yield Row(section, f"of {bench.cores} cores", f"{share:.1%}", value=share)
