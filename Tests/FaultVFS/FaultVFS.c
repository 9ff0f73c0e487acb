#include "FaultVFS.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "Disk.h"

static sqlite3_vfs *real;
static sqlite3_vfs layer;

/// An open file of a disk; the operating system's own follows it in memory.
typedef struct File {
  sqlite3_file base;
  FaultDisk *disk;
  Contents *contents;
  /// Whether its next sync makes certain its name too, as SQLite does for a log
  /// or journal that it has made.
  bool syncsName;
  sqlite3_file under[];
} File;

static sqlite3_file *under(sqlite3_file *file) { return ((File *)file)->under; }

// MARK: What goes wrong

typedef enum { WORKS, FAILS, IS_FULL, LOSES } Fate;

/// Counts an operation and says how it goes. With the lock.
static Fate fate(FaultDisk *disk) {
  if (disk->isCut) return FAILS;
  disk->operations++;
  if (disk->operations < disk->first || disk->operations - disk->first >= disk->count) return WORKS;
  disk->failures++;
  switch (disk->kind) {
  case FAULT_POWER_CUT: disk->isCut = true; return FAILS;
  case FAULT_ERROR: return FAILS;
  case FAULT_LOST_SYNC: return LOSES;
  case FAULT_FULL: return IS_FULL;
  }
  return FAILS;
}

static bool is_cut(FaultDisk *disk) {
  pthread_mutex_lock(&fault_lock);
  bool isCut = disk->isCut;
  pthread_mutex_unlock(&fault_lock);
  return isCut;
}

static bool fails_reads(FaultDisk *disk) {
  pthread_mutex_lock(&fault_lock);
  bool fails = disk->isCut || disk->failsReads;
  pthread_mutex_unlock(&fault_lock);
  return fails;
}

// MARK: Files

static int file_close(sqlite3_file *file) { return under(file)->pMethods->xClose(under(file)); }

static int file_read(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset) {
  if (fails_reads(((File *)file)->disk)) return SQLITE_IOERR_READ;
  return under(file)->pMethods->xRead(under(file), bytes, length, offset);
}

/// Writes, and notes what was written.
static int write_noting(File *file, const void *bytes, int length, sqlite3_int64 offset) {
  int code = file->under->pMethods->xWrite(file->under, bytes, length, offset);
  if (code == SQLITE_OK) contents_change(file->contents, bytes, length, offset);
  return code;
}

static int file_write(sqlite3_file *base, const void *bytes, int length, sqlite3_int64 offset) {
  File *file = (File *)base;
  pthread_mutex_lock(&fault_lock);
  bool wasCut = file->disk->isCut;
  Fate how = fate(file->disk);
  int code;
  if (how == WORKS) {
    code = write_noting(file, bytes, length, offset);
  } else {
    // Of the write during which the power is cut any part may survive, of one that fails its first half.
    bool isCutNow = file->disk->isCut && !wasCut;
    if (isCutNow) {
      contents_change(file->contents, bytes, length, offset);
    } else if (!wasCut) {
      write_noting(file, bytes, length / 2, offset);
    }
    code = how == IS_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
  }
  pthread_mutex_unlock(&fault_lock);
  return code;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
  File *file = (File *)base;
  int code = SQLITE_IOERR_TRUNCATE;
  pthread_mutex_lock(&fault_lock);
  Fate how = fate(file->disk);
  if (how == WORKS || how == IS_FULL) {
    code = file->under->pMethods->xTruncate(file->under, size);
    if (code == SQLITE_OK) contents_change(file->contents, NULL, -1, size);
  }
  pthread_mutex_unlock(&fault_lock);
  return code;
}

/// The file below isn't synced: what a power cut leaves is only known here.
static int file_sync(sqlite3_file *base, int flags) {
  (void)flags;
  File *file = (File *)base;
  int code = SQLITE_IOERR_FSYNC;
  pthread_mutex_lock(&fault_lock);
  Fate how = fate(file->disk);
  if (how == WORKS || how == IS_FULL) {
    contents_sync(file->contents);
    if (file->syncsName) disk_sync_names(file->disk);
    file->syncsName = false;
    code = SQLITE_OK;
  } else if (how == LOSES) {
    contents_lose_changes(file->contents);
  }
  pthread_mutex_unlock(&fault_lock);
  return code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  if (is_cut(((File *)file)->disk)) return SQLITE_IOERR_FSTAT;
  return under(file)->pMethods->xFileSize(under(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
  if (is_cut(((File *)file)->disk)) return SQLITE_IOERR_LOCK;
  return under(file)->pMethods->xLock(under(file), level);
}

static int file_unlock(sqlite3_file *file, int level) {
  return under(file)->pMethods->xUnlock(under(file), level);
}

static int file_check_reserved(sqlite3_file *file, int *isReserved) {
  return under(file)->pMethods->xCheckReservedLock(under(file), isReserved);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  return under(file)->pMethods->xFileControl(under(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return under(file)->pMethods->xSectorSize(under(file)); }

/// Of what a file system may promise only that a write leaves its neighbours alone, which SQLite
/// relies on everywhere.
static int file_characteristics(sqlite3_file *file) {
  return under(file)->pMethods->xDeviceCharacteristics(under(file)) & SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

// Shared memory isn't on the disk.

static int file_shm_map(sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
  return under(file)->pMethods->xShmMap(under(file), page, size, extends, memory);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return under(file)->pMethods->xShmLock(under(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) { under(file)->pMethods->xShmBarrier(under(file)); }

static int file_shm_unmap(sqlite3_file *file, int deletes) {
  return under(file)->pMethods->xShmUnmap(under(file), deletes);
}

// Version 2: without memory-mapped files, whose changes nothing would note.
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

// MARK: The layer

static int layer_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *outFlags) {
  (void)vfs;
  pthread_mutex_lock(&fault_lock);
  FaultDisk *disk = fault_disk_of(path);
  if (!disk) {
    pthread_mutex_unlock(&fault_lock);
    return real->xOpen(real, path, base, flags, outFlags);
  }
  File *file = (File *)base;
  memset(file, 0, sizeof *file);
  file->disk = disk;
  file->syncsName = flags & SQLITE_OPEN_CREATE && flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL);
  // To xAccess an empty file is none.
  bool exists = access(path, F_OK) == 0;
  bool makes = !exists && flags & SQLITE_OPEN_CREATE;
  int code = disk->isCut || (makes && fate(disk) != WORKS) ? SQLITE_CANTOPEN : SQLITE_OK;
  // An empty main database has just been made, and nobody else can have it open.
  if (code == SQLITE_OK && exists && !disk_lookup(disk, path)) disk_adopt(disk, path);
  if (code == SQLITE_OK) code = real->xOpen(real, path, file->under, flags, outFlags);
  if (code == SQLITE_OK) {
    file->contents = makes ? disk_make(disk, path) : disk_lookup(disk, path);
    base->pMethods = &methods;
  }
  pthread_mutex_unlock(&fault_lock);
  return code;
}

static int layer_delete(sqlite3_vfs *vfs, const char *path, int syncsNames) {
  (void)vfs;
  int code = SQLITE_IOERR_DELETE;
  pthread_mutex_lock(&fault_lock);
  FaultDisk *disk = fault_disk_of(path);
  Fate how = disk ? fate(disk) : WORKS;
  if (how == WORKS || how == IS_FULL) {
    code = real->xDelete(real, path, 0);
    if (disk && code == SQLITE_OK) disk_unlink(disk, path);
    if (disk && code == SQLITE_OK && syncsNames) disk_sync_names(disk);
  }
  pthread_mutex_unlock(&fault_lock);
  return code;
}

static int layer_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  (void)vfs;
  pthread_mutex_lock(&fault_lock);
  FaultDisk *disk = fault_disk_of(path);
  bool isCut = disk && disk->isCut;
  pthread_mutex_unlock(&fault_lock);
  return isCut ? SQLITE_IOERR_ACCESS : real->xAccess(real, path, flags, result);
}

static void install(void) {
  sqlite3_initialize();
  real = sqlite3_vfs_find(NULL);
  // What isn't about files is the operating system's.
  layer = *real;
  layer.pNext = NULL;
  layer.zName = "fault";
  layer.szOsFile = (int)sizeof(File) + real->szOsFile;
  layer.xOpen = layer_open;
  layer.xDelete = layer_delete;
  layer.xAccess = layer_access;
  sqlite3_vfs_register(&layer, 1);
}

FaultDisk *fault_disk_create(const char *folder) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  return disk_register(folder);
}
