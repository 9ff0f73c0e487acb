"""The invasive species and directory services as a class would otherwise get them: FastAPI, SQLite.

Written to be quick: one connection a worker, answers encoded by orjson without a model in between,
no middleware. It does less than Understudy for each request: no ETag, no CORS, no request id, no
log, no limits but FastAPI's own.

The handlers are `async def` although SQLite blocks. The reads take some tens of microseconds, much
less than handing one to a thread of the pool that `def` handlers run on: `def`, with a connection
for each thread, gave half the rate on every read and on writes. Only what takes long, the password,
goes to a thread.

It opens the database that UNDERSTUDY_DATABASE names: made by Understudy, so that schema and rows are
the same, and opened with the same pragmas.
"""
import os
import sqlite3

import orjson
from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

PLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "seed", "images")

database = sqlite3.connect(
    os.environ["UNDERSTUDY_DATABASE"], isolation_level=None, check_same_thread=False, timeout=30,
    cached_statements=256)
database.row_factory = lambda cursor, row: {name[0]: value for name, value in zip(cursor.description, row)}
database.executescript(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 30000")
# The parameters of Understudy: 19 MiB, two passes, one lane.
hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
app = FastAPI(openapi_url=None)


class JSON(Response):
    """What `content` is in JSON, in the encoding that is shortest and quickest."""
    media_type = "application/json"

    def render(self, content):
        return orjson.dumps(content)


class Observation(BaseModel):
    """A sighting as it is posted."""
    user: int
    species: int
    park: int
    comment: str
    date: str


@app.get("/invasive/species")
async def species(request: Request):
    images = f"{request.url.scheme}://{request.headers['host']}/invasive/images/"
    rows = database.execute("SELECT id AS idspecies, name, image FROM species ORDER BY id").fetchall()
    for row in rows:
        row["image"] = images + row["image"]
    return JSON(rows)


@app.get("/invasive/parks")
async def parks():
    return JSON(database.execute("SELECT id AS idpark, name, county FROM park ORDER BY id").fetchall())


@app.get("/invasive/observations")
async def observations(user: int, limit: int = 1000):
    return JSON(database.execute(
        "SELECT id AS idobservation, user, species, park, comment, date FROM observation"
        " WHERE user = ? ORDER BY id LIMIT ?", (user, limit)).fetchall())


@app.post("/invasive/observations")
async def observe(observation: Observation):
    try:
        database.execute("BEGIN IMMEDIATE")
        row = database.execute(
            "INSERT INTO observation (user, species, park, comment, date) VALUES (?, ?, ?, ?, ?)",
            (observation.user, observation.species, observation.park, observation.comment, observation.date)).lastrowid
        database.execute("COMMIT")
        return JSON(row)
    except sqlite3.IntegrityError:
        database.execute("ROLLBACK")
        raise HTTPException(422, "There is no such user, species or park.")


def matches(password_hash, password):
    """Whether the password is the one of the hash."""
    try:
        return hasher.verify(password_hash, password)
    except VerifyMismatchError:
        return False


@app.get("/invasive/users")
async def log_in(user: str, password: str):
    row = database.execute(
        "SELECT id AS iduser, username, password, realname, phone FROM user WHERE username_nfc = ?", (user,)).fetchone()
    if row is None or not await run_in_threadpool(matches, row["password"], password):
        raise HTTPException(401, "The name or the password is wrong.")
    return JSON(row | {"password": password})


@app.get("/directory/people/{key}")
async def people(key: str):
    owner = database.execute("SELECT id FROM directory_user WHERE key = ?", (key,)).fetchone()
    if owner is None:
        raise HTTPException(404, "There is no such key.")
    rows = database.execute(
        "SELECT id, name, office, user, members FROM person WHERE user = ? ORDER BY id", (owner["id"],)).fetchall()
    for row in rows:
        row.update(orjson.loads(row.pop("members")))
    return JSON(rows)


app.mount("/invasive/images", StaticFiles(directory=PLATES))
