-- The whole schema of understudy.sqlite, version 1.
--
-- Ids are never used again (AUTOINCREMENT): a request that is repeated after a deletion must not
-- hit another row. Text is kept as it was posted; where names are compared, their Unicode
-- normalization form C stands in a column of its own.

-- The catalogue of the invasive species app.
CREATE TABLE species (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  name             TEXT NOT NULL,
  -- A picture that this server holds, as a file name (garlic-mustard.png), or the absolute URL of
  -- one that it doesn't.
  image            TEXT NOT NULL,
  -- Facts that the apps don't ask for.
  scientific_name  TEXT NOT NULL DEFAULT '',
  family           TEXT NOT NULL DEFAULT '',
  growth_form      TEXT NOT NULL DEFAULT '',
  flower_colour    TEXT NOT NULL DEFAULT '',
  -- Months of flowering: Apr-Jun.
  bloom            TEXT NOT NULL DEFAULT '',
  leaf_shape       TEXT NOT NULL DEFAULT '',
  leaf_arrangement TEXT NOT NULL DEFAULT '',
  inflorescence    TEXT NOT NULL DEFAULT '',
  fruit            TEXT NOT NULL DEFAULT ''
) STRICT;

-- State parks, where sightings are made.
CREATE TABLE park (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  name   TEXT NOT NULL,
  county TEXT NOT NULL
) STRICT;

-- Users of the invasive species app.
CREATE TABLE user (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  username     TEXT NOT NULL,
  username_nfc TEXT NOT NULL UNIQUE,
  -- An Argon2id hash in its usual text form, parameters and salt included.
  password     TEXT NOT NULL,
  realname     TEXT NOT NULL,
  phone        TEXT NOT NULL
) STRICT;

-- Sightings: who saw which species in which park.
CREATE TABLE observation (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  user    INTEGER NOT NULL REFERENCES user,
  species INTEGER NOT NULL REFERENCES species,
  park    INTEGER NOT NULL REFERENCES park,
  comment TEXT NOT NULL,
  -- Free text: whatever the app's user typed.
  date    TEXT NOT NULL
) STRICT;

-- An index of SQLite ends with the rowid, so that each of these gives a page in order of id.
CREATE INDEX observation_user ON observation (user);
CREATE INDEX observation_species ON observation (species);
CREATE INDEX observation_park ON observation (park);

-- Users of the directory app.
CREATE TABLE directory_user (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  name     TEXT NOT NULL,
  name_nfc TEXT NOT NULL UNIQUE,
  -- As in the table user.
  password TEXT NOT NULL,
  -- What a login gives and every other request names: 128 random bits as a decimal number.
  key      TEXT NOT NULL UNIQUE
) STRICT;

-- The people in each user's directory.
CREATE TABLE person (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  user    INTEGER NOT NULL REFERENCES directory_user,
  name    TEXT NOT NULL,
  office  TEXT NOT NULL,
  -- The members that the client added, as a JSON object, each value as it was written.
  members TEXT NOT NULL DEFAULT '{}'
) STRICT;

CREATE INDEX person_user ON person (user);

-- Requests that were answered 200 and must not count again when they are repeated.
CREATE TABLE idempotency_key (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  -- A hash of the path and of the Idempotency-Key.
  request BLOB NOT NULL UNIQUE,
  -- A hash of the body, keyed with the Idempotency-Key: a body can hold a password.
  body    BLOB NOT NULL,
  -- The id of the row that the request made.
  row     INTEGER NOT NULL,
  -- Seconds since 1970.
  created INTEGER NOT NULL
) STRICT;

CREATE INDEX idempotency_key_created ON idempotency_key (created);
