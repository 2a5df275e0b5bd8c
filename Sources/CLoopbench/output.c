#include "cl_system.h"
#include "remains.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// MARK: Files to remove when the process is killed

// The paths of unfinished files. The thread that removes a path from this array
// owns the path. If the array is full, the file is not listed here, and the next
// run removes it. The capacity of 16 is not measured.
static _Atomic(char *) pending[16];

static bool replace_pending(char *path, char *replacement) {
  for (size_t i = 0; i < sizeof pending / sizeof pending[0]; i++) {
    char *expected = path;
    if (atomic_compare_exchange_strong(&pending[i], &expected, replacement)) return true;
  }
  return false;
}

void cl_output_remove_all(void) {
  for (size_t i = 0; i < sizeof pending / sizeof pending[0]; i++) {
    char *path = atomic_exchange(&pending[i], NULL);
    // The path is not freed, because this function may be called in a signal
    // handler.
    if (path != NULL) unlink(path);
  }
}

// MARK: The place of a file

struct cl_output {
  int descriptor;
  bool is_direct;
  bool is_pending;
  char place[PATH_MAX];
  char part[PATH_MAX + CL_REMAINS_SUFFIX];
};

// Resolves symlinks in the last component of `path`. The target need not exist.
static int follow(const char *path, char *place) {
  char target[PATH_MAX];
  if (snprintf(place, PATH_MAX, "%s", path) >= PATH_MAX) return ENAMETOOLONG;
  for (int links = 0; links < 40; links++) {
    ssize_t length = readlink(place, target, sizeof target - 1);
    if (length < 0) return 0;
    target[length] = 0;
    char *slash = strrchr(place, '/');
    size_t folder = target[0] == '/' || slash == NULL ? 0 : (size_t)(slash + 1 - place);
    if (folder + (size_t)length >= PATH_MAX) return ENAMETOOLONG;
    memcpy(place + folder, target, (size_t)length + 1);
  }
  return ELOOP;
}

// Makes `place` absolute and resolves its folder, so that every path to a file
// gives the same place.
static int make_absolute(char *place) {
  char folder[PATH_MAX], name[PATH_MAX], real[PATH_MAX];
  char *slash = strrchr(place, '/');
  snprintf(name, sizeof name, "%s", slash == NULL ? place : slash + 1);
  snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : (int)(slash + 1 - place),
           slash == NULL ? "." : place);
  if (realpath(folder, real) == NULL) return errno;
  const char *between = strcmp(real, "/") == 0 ? "" : "/";
  return snprintf(place, PATH_MAX, "%s%s%s", real, between, name) < PATH_MAX ? 0 : ENAMETOOLONG;
}

// Returns a duplicate of the descriptor of standard output or error if `status`
// describes the same file, and -1 otherwise.
static int standard_descriptor(const struct stat *status) {
  for (int descriptor = 1; descriptor <= 2; descriptor++) {
    struct stat own;
    if (fstat(descriptor, &own) != 0) continue;
    if (own.st_dev != status->st_dev || own.st_ino != status->st_ino) continue;
    if ((fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY) continue;
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  }
  return -1;
}

// Does not use `mkstemp`, which creates a file of mode 0600. The file needs the
// mode that the umask allows, and reading the umask would require changing it.
static int open_beside(const struct stat *replaced, cl_output *output) {
  cl_remains_remove(output->place);
  for (unsigned attempt = 0; attempt < 1000; attempt++) {
    cl_remains_name(output->part, sizeof output->part, output->place, getpid(), attempt);
    output->descriptor = open(output->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (output->descriptor >= 0) break;
    if (errno != EEXIST) return errno;
  }
  if (output->descriptor < 0) return EEXIST;
  // The lock shows other runs that this run is alive. The result is not checked,
  // because other runs never remove a file that cannot be locked.
  flock(output->descriptor, LOCK_EX | LOCK_NB);
  output->is_pending = replace_pending(NULL, output->part);
  // The result is not checked, because some file systems have no modes.
  if (replaced != NULL) fchmod(output->descriptor, replaced->st_mode & 0777);
  return 0;
}

static int open_output(const char *path, cl_output *output) {
  struct stat status;
  bool exists = stat(path, &status) == 0;
  bool is_regular = exists && S_ISREG(status.st_mode);
  if (exists && S_ISDIR(status.st_mode)) return EISDIR;
  if (exists) output->descriptor = standard_descriptor(&status);
  if (exists && !is_regular && output->descriptor < 0) {
    output->descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (output->descriptor < 0) return errno;
  }
  output->is_direct = output->descriptor >= 0;
  if (output->is_direct) return 0;
  int error = follow(path, output->place);
  if (error == 0) error = make_absolute(output->place);
  return error != 0 ? error : open_beside(is_regular ? &status : NULL, output);
}

static int open_replacement(const char *path, cl_output *output) {
  struct stat status;
  bool exists = lstat(path, &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return EISDIR;
  if (snprintf(output->place, PATH_MAX, "%s", path) >= PATH_MAX) return ENAMETOOLONG;
  int error = make_absolute(output->place);
  if (error != 0) return error;
  return open_beside(exists && S_ISREG(status.st_mode) ? &status : NULL, output);
}

// MARK: Opening and closing

int cl_output_open(const char *path, bool replaces_any, cl_output **result) {
  cl_output *output = calloc(1, sizeof *output);
  *result = NULL;
  if (output == NULL) return ENOMEM;
  output->descriptor = -1;
  int error = replaces_any ? open_replacement(path, output) : open_output(path, output);
  if (error != 0) {
    free(output);
    return error;
  }
  *result = output;
  return 0;
}

int cl_output_descriptor(const cl_output *output) { return output->descriptor; }

const char *cl_output_place(const cl_output *output) {
  return output->is_direct ? NULL : output->place;
}

// If a signal handler has taken the path, it may still be reading it. In that case
// `output` is not freed, and the process is about to end.
static void release(cl_output *output) {
  if (!output->is_pending || replace_pending(output->part, NULL)) free(output);
}

int cl_output_finish(cl_output *output) {
  int error = close(output->descriptor) == 0 ? 0 : errno;
  if (!output->is_direct) {
    if (error == 0 && rename(output->part, output->place) != 0) error = errno;
    if (error != 0) unlink(output->part);
  }
  release(output);
  return error;
}

void cl_output_abandon(cl_output *output) {
  close(output->descriptor);
  if (!output->is_direct) unlink(output->part);
  release(output);
}
