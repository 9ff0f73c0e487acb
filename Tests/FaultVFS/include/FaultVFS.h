// A disk that fails when a test wants it to: a layer between SQLite and the
// operating system (https://sqlite.org/vfs.html) that counts what changes a
// file, and keeps what a power cut would leave.
//
// What is below a disk's folder is on the disk; everything else passes through
// as if the layer weren't there, so that one process may have many disks.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct FaultDisk FaultDisk;

/// How an operation goes wrong. An operation is a write, a sync, a truncation,
/// a deletion or the creation of a file.
typedef enum FaultKind {
  /// The power is cut in the middle of the operation: it and all that comes
  /// after it fails.
  FAULT_POWER_CUT,
  /// It fails; half of a write is done. A sync that is repeated does what the
  /// first one should have.
  FAULT_ERROR,
  /// As FAULT_ERROR, but a sync that fails gives up what it should have written
  /// and takes it for written, as Linux does: a later sync succeeds without it.
  FAULT_LOST_SYNC,
  /// A write finds no room after its first half, a file can't be made; the rest
  /// works.
  FAULT_FULL,
} FaultKind;

/// Makes everything below `folder` a disk of its own. No file of it may be open.
FaultDisk *fault_disk_create(const char *folder);

/// Forgets the disk; its files stay. None of them may be open.
void fault_disk_destroy(FaultDisk *disk);

/// How many operations there have been.
long fault_disk_operations(FaultDisk *disk);

/// From the operation `first` (the first of all is 1), `count` operations fail.
/// Replaces what was planned before; a count of 0 heals the disk.
void fault_disk_plan(FaultDisk *disk, FaultKind kind, long first, long count);

/// Whether reading fails, until this is called again.
void fault_disk_fail_reads(FaultDisk *disk, bool fails);

/// How many operations have failed by plan.
long fault_disk_failures(FaultDisk *disk);

/// Writes the files that the disk would have after a power cut at this moment
/// into another folder: what was synced, and of what was not a part that the
/// seed chooses, whole or torn at a sector of 512 bytes.
///
/// Returns whether that could be done.
bool fault_disk_survivors(FaultDisk *disk, uint64_t seed, const char *folder);
