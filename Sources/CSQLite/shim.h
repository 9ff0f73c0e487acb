// SQLite's C API, and what of it are macros or variadic functions in C and so
// out of Swift's reach.
#pragma once

#include <sqlite3.h>

/// SQLITE_TRANSIENT: SQLite copies what is bound before the call returns.
static inline sqlite3_destructor_type sqlite_transient(void) {
  return SQLITE_TRANSIENT;
}

/// Switches off the memory statistics, whose one mutex every allocation of
/// every connection would take (https://sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus).
/// Only before the first connection.
static inline int sqlite_disable_memory_statistics(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
