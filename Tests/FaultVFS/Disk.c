// For realpath and O_CLOEXEC, which are POSIX and not C.
#define _GNU_SOURCE

#include "Disk.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

pthread_mutex_t fault_lock = PTHREAD_MUTEX_INITIALIZER;

static FaultDisk *disks;

static const int64_t sector = 512;

// MARK: Disks

FaultDisk *fault_disk_of(const char *path) {
  for (FaultDisk *disk = disks; path && disk; disk = disk->next) {
    size_t length = strlen(disk->folder);
    if (strncmp(path, disk->folder, length) == 0 && path[length] == '/') return disk;
  }
  return NULL;
}

FaultDisk *disk_register(const char *folder) {
  FaultDisk *disk = calloc(1, sizeof *disk);
  // SQLite asks for paths without links in them.
  disk->folder = realpath(folder, NULL);
  if (!disk->folder) disk->folder = strdup(folder);
  pthread_mutex_lock(&fault_lock);
  disk->next = disks;
  disks = disk;
  pthread_mutex_unlock(&fault_lock);
  return disk;
}

void fault_disk_destroy(FaultDisk *disk) {
  pthread_mutex_lock(&fault_lock);
  FaultDisk **link = &disks;
  while (*link != disk) link = &(*link)->next;
  *link = disk->next;
  pthread_mutex_unlock(&fault_lock);
  for (Entry *entry = disk->entries, *next; entry; entry = next) {
    next = entry->next;
    free(entry->name);
    free(entry->versions);
    free(entry);
  }
  for (Contents *contents = disk->contents, *next; contents; contents = next) {
    next = contents->next;
    contents_lose_changes(contents);
    free(contents->synced);
    free(contents);
  }
  free(disk->folder);
  free(disk);
}

long fault_disk_operations(FaultDisk *disk) {
  pthread_mutex_lock(&fault_lock);
  long operations = disk->operations;
  pthread_mutex_unlock(&fault_lock);
  return operations;
}

long fault_disk_failures(FaultDisk *disk) {
  pthread_mutex_lock(&fault_lock);
  long failures = disk->failures;
  pthread_mutex_unlock(&fault_lock);
  return failures;
}

void fault_disk_plan(FaultDisk *disk, FaultKind kind, long first, long count) {
  pthread_mutex_lock(&fault_lock);
  disk->kind = kind;
  disk->first = first;
  disk->count = count;
  pthread_mutex_unlock(&fault_lock);
}

void fault_disk_fail_reads(FaultDisk *disk, bool fails) {
  pthread_mutex_lock(&fault_lock);
  disk->failsReads = fails;
  pthread_mutex_unlock(&fault_lock);
}

// MARK: Names

static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static Entry *find(FaultDisk *disk, const char *path) {
  Entry *entry = disk->entries;
  while (entry && strcmp(entry->name, name_of(path)) != 0) entry = entry->next;
  return entry;
}

static void add_version(FaultDisk *disk, const char *path, Contents *contents) {
  Entry *entry = find(disk, path);
  if (!entry) {
    entry = calloc(1, sizeof *entry);
    entry->name = strdup(name_of(path));
    // At first nothing has this name, and that is certain.
    entry->versions = calloc(1, sizeof *entry->versions);
    entry->count = 1;
    entry->next = disk->entries;
    disk->entries = entry;
  }
  entry->versions = realloc(entry->versions, (size_t)(entry->count + 1) * sizeof *entry->versions);
  entry->versions[entry->count++] = contents;
}

static Contents *new_contents(FaultDisk *disk) {
  Contents *contents = calloc(1, sizeof *contents);
  contents->next = disk->contents;
  disk->contents = contents;
  return contents;
}

Contents *disk_lookup(FaultDisk *disk, const char *path) {
  Entry *entry = find(disk, path);
  return entry ? entry->versions[entry->count - 1] : NULL;
}

Contents *disk_make(FaultDisk *disk, const char *path) {
  Contents *contents = new_contents(disk);
  add_version(disk, path, contents);
  return contents;
}

Contents *disk_adopt(FaultDisk *disk, const char *path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  Contents *contents = disk_make(disk, path);
  if (descriptor < 0) return contents;
  if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
    contents->synced = malloc((size_t)status.st_size);
    contents->size = read(descriptor, contents->synced, (size_t)status.st_size);
    Entry *entry = find(disk, path);
    entry->versions[0] = contents;
    entry->count = 1;
  }
  // No lock of this process can be on it: SQLite is only about to open it.
  close(descriptor);
  return contents;
}

void disk_unlink(FaultDisk *disk, const char *path) {
  if (disk_lookup(disk, path)) add_version(disk, path, NULL);
}

void disk_sync_names(FaultDisk *disk) {
  for (Entry *entry = disk->entries; entry; entry = entry->next) {
    entry->versions[0] = entry->versions[entry->count - 1];
    entry->count = 1;
  }
}

// MARK: Contents

/// Makes a change to an image of a file.
static void apply(unsigned char **image, int64_t *size, int64_t offset, const unsigned char *bytes, int64_t length) {
  int64_t end = length < 0 ? offset : offset + length;
  if (end > *size) {
    *image = realloc(*image, (size_t)end);
    memset(*image + *size, 0, (size_t)(end - *size));
    *size = end;
  }
  if (length < 0) {
    *size = offset;
  } else if (length > 0) {
    memcpy(*image + offset, bytes, (size_t)length);
  }
}

void contents_change(Contents *contents, const void *bytes, int64_t length, int64_t offset) {
  int64_t stored = length < 0 ? 0 : length;
  Change *change = malloc(sizeof *change + (size_t)stored);
  change->next = NULL;
  change->offset = offset;
  change->length = length;
  if (stored) memcpy(change->bytes, bytes, (size_t)stored);
  if (contents->last) {
    contents->last->next = change;
  } else {
    contents->first = change;
  }
  contents->last = change;
}

void contents_lose_changes(Contents *contents) {
  for (Change *change = contents->first, *next; change; change = next) {
    next = change->next;
    free(change);
  }
  contents->first = contents->last = NULL;
}

void contents_sync(Contents *contents) {
  for (Change *change = contents->first; change; change = change->next)
    apply(&contents->synced, &contents->size, change->offset, change->bytes, change->length);
  contents_lose_changes(contents);
}

// MARK: After a power cut

/// SplitMix64.
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

/// Makes the part of a write that survives: all of it, nothing, or some of the sectors that it touches.
static void apply_torn(unsigned char **image, int64_t *size, const Change *change, uint64_t *random) {
  uint64_t fate = next_random(random) % 4;
  if (fate == 0) return;
  if (fate < 3 || change->length < 0) {
    apply(image, size, change->offset, change->bytes, change->length);
    return;
  }
  int64_t end = change->offset + change->length;
  for (int64_t start = change->offset, stop; start < end; start = stop) {
    stop = (start / sector + 1) * sector;
    if (stop > end) stop = end;
    if (next_random(random) % 2)
      apply(image, size, start, change->bytes + (start - change->offset), stop - start);
  }
}

static bool write_file(const char *folder, const char *name, const unsigned char *bytes, int64_t size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  bool isWritten = size == 0 || fwrite(bytes, 1, (size_t)size, file) == (size_t)size;
  return fclose(file) == 0 && isWritten;
}

bool fault_disk_survivors(FaultDisk *disk, uint64_t seed, const char *folder) {
  uint64_t random = seed;
  bool isDone = true;
  pthread_mutex_lock(&fault_lock);
  for (Entry *entry = disk->entries; entry; entry = entry->next) {
    Contents *contents = entry->versions[next_random(&random) % (uint64_t)entry->count];
    if (!contents) continue;
    unsigned char *image = malloc((size_t)contents->size + 1);
    int64_t size = contents->size;
    if (size) memcpy(image, contents->synced, (size_t)size);
    // One time in four all that was not synced is lost, one time in four none of it.
    uint64_t fate = next_random(&random) % 4;
    for (Change *change = contents->first; change; change = change->next) {
      if (fate == 1) apply(&image, &size, change->offset, change->bytes, change->length);
      if (fate > 1) apply_torn(&image, &size, change, &random);
    }
    isDone = write_file(folder, entry->name, image, size) && isDone;
    free(image);
  }
  pthread_mutex_unlock(&fault_lock);
  return isDone;
}
