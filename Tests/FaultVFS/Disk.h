// What a disk keeps of its files: what is certain to survive a power cut, and
// what isn't yet.
#pragma once

#include <pthread.h>

#include "FaultVFS.h"

/// A write or truncation that isn't synced.
typedef struct Change {
  struct Change *next;
  int64_t offset;
  /// -1 for a truncation to `offset`.
  int64_t length;
  unsigned char bytes[];
} Change;

/// The contents of a file, whatever its name is by now.
typedef struct Contents {
  struct Contents *next;
  unsigned char *synced;
  int64_t size;
  Change *first;
  Change *last;
} Contents;

/// A name in the folder: the first of its versions is synced, each further one
/// is a creation or deletion (NULL) that isn't yet.
typedef struct Entry {
  struct Entry *next;
  char *name;
  Contents **versions;
  int count;
} Entry;

struct FaultDisk {
  FaultDisk *next;
  char *folder;
  Entry *entries;
  Contents *contents;
  long operations;
  long failures;
  long first;
  long count;
  FaultKind kind;
  bool isCut;
  bool failsReads;
};

/// Guards every disk: the disks are small, and the tests that use them few.
extern pthread_mutex_t fault_lock;

/// Makes a disk, once the layer stands.
FaultDisk *disk_register(const char *folder);

/// The disk that a path is on, or NULL.
FaultDisk *fault_disk_of(const char *path);

/// What a path names now, or NULL.
Contents *disk_lookup(FaultDisk *disk, const char *path);

/// Takes in a file that is there already; an empty one has just been made, and
/// may be gone after a power cut.
Contents *disk_adopt(FaultDisk *disk, const char *path);

/// Makes a file.
Contents *disk_make(FaultDisk *disk, const char *path);

/// Takes a name away.
void disk_unlink(FaultDisk *disk, const char *path);

/// Makes certain which names there are.
void disk_sync_names(FaultDisk *disk);

/// Notes a write or, with a length of -1, a truncation.
void contents_change(Contents *contents, const void *bytes, int64_t length, int64_t offset);

/// Makes certain what was changed.
void contents_sync(Contents *contents);

/// Gives up what was changed.
void contents_lose_changes(Contents *contents);
