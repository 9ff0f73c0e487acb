// Preloaded into the program, ends it as kill -9 does before the n-th call that changes a file system, where
// KILL_POINT says n. Of writes, of which there are very many, every sixteenth counts.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_int calls, writes;

static void point(void) {
  const char *wanted = getenv("KILL_POINT");
  if (wanted && atomic_fetch_add(&calls, 1) + 1 == atoi(wanted)) kill(getpid(), SIGKILL);
}

static void write_point(int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && atomic_fetch_add(&writes, 1) % 16 == 0) point();
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int rename(const char *old, const char *new) { point(); return NEXT(rename)(old, new); }
int link(const char *old, const char *new) { point(); return NEXT(link)(old, new); }
int unlinkat(int folder, const char *path, int flags) { point(); return NEXT(unlinkat)(folder, path, flags); }
int unlink(const char *path) { point(); return NEXT(unlink)(path); }
int rmdir(const char *path) { point(); return NEXT(rmdir)(path); }
int mkdir(const char *path, mode_t mode) { point(); return NEXT(mkdir)(path, mode); }
int fsync(int descriptor) { point(); return NEXT(fsync)(descriptor); }
int fdatasync(int descriptor) { point(); return NEXT(fdatasync)(descriptor); }
int ftruncate64(int descriptor, off64_t size) { point(); return NEXT(ftruncate64)(descriptor, size); }
int ftruncate(int descriptor, off_t size) { point(); return NEXT(ftruncate)(descriptor, size); }

ssize_t write(int descriptor, const void *bytes, size_t count) {
  write_point(descriptor);
  return NEXT(write)(descriptor, bytes, count);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  write_point(descriptor);
  return NEXT(pwrite)(descriptor, bytes, count, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  write_point(descriptor);
  return NEXT(pwrite64)(descriptor, bytes, count, offset);
}
