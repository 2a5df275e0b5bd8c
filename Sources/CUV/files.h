// Files, the environment and the standard streams, which other users and programs may
// have chosen.
#ifndef LT_CUV_FILES_H
#define LT_CUV_FILES_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#if defined(__linux__)
#include <sys/auxv.h>
#endif

// MARK: Files

// Opens the file at `path` for replacing its contents, and creates it if it does not
// exist. Returns a descriptor, or an error of libuv. In a folder that others may write to,
// another user may have put something else there: a symbolic link, a FIFO without a
// reader, or a file of their own.
static inline int lt_file_open(const char *path) {
  int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  int descriptor = open(path, flags, 0666);
  if (descriptor < 0) return -errno;
  struct stat file;
  int result = fstat(descriptor, &file) == 0 ? 0 : -errno;
  if (result == 0 && !S_ISREG(file.st_mode)) result = UV_EFTYPE;
  if (result == 0 && (file.st_uid != geteuid() || file.st_nlink > 1)) result = UV_EPERM;
  if (result == 0 && ftruncate(descriptor, 0) != 0) result = -errno;
  if (result == 0) return descriptor;
  close(descriptor);
  return result;
}

// Replaces the contents of the file at `path`. Returns 0, or an error of libuv.
static inline int lt_write_file(const char *path, const uint8_t *bytes, size_t length) {
  int descriptor = lt_file_open(path);
  if (descriptor < 0) return descriptor;
  int result = 0;
  while (length > 0 && result == 0) {
    ssize_t written = write(descriptor, bytes, length);
    if (written < 0) {
      result = errno == EINTR ? 0 : -errno;
      continue;
    }
    bytes += written;
    length -= (size_t)written;
  }
  // Some file systems report a failed write only now.
  if (close(descriptor) < 0 && result == 0 && errno != EINTR) result = -errno;
  return result;
}

// MARK: The process

// Calls `body` when the process exits. Returns 0 if there is no memory for it.
static inline int lt_at_exit(void (*body)(void)) { return atexit(body) == 0; }

// Whether the process has privileges that the user who started it lacks, as a set-user-ID
// program does. That user chose the environment.
static inline int lt_is_privileged(void) {
#if defined(__linux__)
  return getauxval(AT_SECURE) != 0;
#else
  return issetugid();
#endif
}

// The value of an environment variable, or NULL in a privileged process. Like
// secure_getenv(3), which glibc declares only with _GNU_SOURCE.
static inline const char *lt_environment(const char *name) {
  return lt_is_privileged() ? NULL : getenv(name);
}

// MARK: Standard streams

// Opens descriptors for those of 0, 1 and 2 that are closed. Otherwise a descriptor of
// this library would be taken for a standard stream, and libuv aborts when it closes
// one of these. Reading such a descriptor ends at once, and writing to it fails, as
// before. Children inherit it. Returns 0, or a negated errno.
static inline int lt_fill_standard_streams(void) {
  for (int stream = 0; stream <= 2; stream++) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    int opened = open("/dev/null", O_RDONLY | O_NOCTTY);
    // A changed root may have no devices.
    if (opened < 0 && errno != EMFILE && errno != ENFILE) opened = open("/", O_RDONLY);
    if (opened < 0) return -errno;
    // Another thread was faster. All open the same, so it does not matter which of them
    // opened which.
    if (opened > 2) close(opened);
  }
  return 0;
}

#endif
