#include "cl_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

extern char **environ;

void cl_program_path(char *path, size_t capacity) {
  size_t size = capacity;
  if (capacity > 0 && uv_exepath(path, &size) != 0) path[0] = 0;
}

int cl_become(const char *path, char *const *arguments) {
  execv(path, arguments);
  return errno;
}

const char *cl_environment(size_t index) {
  for (size_t i = 0; environ != NULL && environ[i] != NULL; i++) {
    if (i == index) return environ[i];
  }
  return NULL;
}

int cl_terminal_width(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void cl_keep_descriptors(void) {
  for (int descriptor = 0; descriptor < 3; descriptor++) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest that is free: this one, for those below are open.
    if (open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

long cl_read(int descriptor, void *bytes, size_t capacity) {
  ssize_t count;
  do count = read(descriptor, bytes, capacity);
  while (count < 0 && errno == EINTR);
  return count >= 0 ? (long)count : -errno;
}

int cl_open_input(const char *path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  return descriptor >= 0 ? descriptor : -errno;
}

int cl_open_regular_input(const char *path) {
  struct stat status;
  // First: opening a device may already do something.
  if (stat(path, &status) != 0) return -errno;
  if (!S_ISREG(status.st_mode)) return -EINVAL;
  // O_NONBLOCK: reading some regular files of /proc and /sys blocks.
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return -errno;
  // Again: it may have been replaced.
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) return descriptor;
  close(descriptor);
  return -EINVAL;
}

void cl_close_input(int descriptor) { close(descriptor); }
