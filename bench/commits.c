// How many rows a second SQLite takes where nothing but SQLite is in the way.
//
//     commits DATABASE BATCH SECONDS
//
// Inserts the observation that the benchmark posts, BATCH rows in a transaction, each on the disk
// before the next begins, with Understudy's pragmas and on its schema. Prints rows a second.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static sqlite3 *database;

static void require(int isRight) {
  if (isRight) return;
  fprintf(stderr, "commits: %s\n", database ? sqlite3_errmsg(database) : "no memory");
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  require(sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) == SQLITE_OK);
  return statement;
}

static void run(sqlite3_stmt *statement) {
  require(sqlite3_step(statement) == SQLITE_DONE);
  sqlite3_reset(statement);
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  int batch = atoi(arguments[2]);
  double seconds = atof(arguments[3]);
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  require(sqlite3_open_v2(arguments[1], &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK);
  require(sqlite3_exec(database,
                       "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
                       "PRAGMA journal_size_limit = 67108864;",
                       NULL, NULL, NULL) == SQLITE_OK);
  sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
  sqlite3_stmt *insert =
      prepare("INSERT INTO observation (user, species, park, comment, date) VALUES (?1, ?2, ?3, ?4, ?5)");
  long rows = 0;
  double start = now();
  do {
    run(begin);
    for (int i = 0; i < batch; i++) {
      sqlite3_bind_int64(insert, 1, 1);
      sqlite3_bind_int64(insert, 2, 1);
      sqlite3_bind_int64(insert, 3, 3);
      sqlite3_bind_text(insert, 4, "by the north shore", -1, SQLITE_STATIC);
      sqlite3_bind_text(insert, 5, "2026-06-01", -1, SQLITE_STATIC);
      run(insert);
    }
    run(commit);
    rows += batch;
  } while (now() - start < seconds);
  printf("%f\n", rows / (now() - start));
}
