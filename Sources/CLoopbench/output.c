#include "cl_system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct cl_output {
  int descriptor;  // of a file that is written directly; otherwise -1
  int mode;        // of the file that is replaced; -1 for a new file
  char place[PATH_MAX];
};

// Copies `path`, and resolves symlinks in its last component unless `keeps_link` is set. The
// target need not exist.
static int follow(const char *path, bool keeps_link, char *place) {
  char target[PATH_MAX];
  if (snprintf(place, PATH_MAX, "%s", path) >= PATH_MAX) return ENAMETOOLONG;
  if (keeps_link) return 0;
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

// Sets the descriptor of a file that is written directly, and the place of any other file.
static int resolve(const char *path, bool replaces_any, cl_output *output) {
  struct stat status;
  bool exists = (replaces_any ? lstat(path, &status) : stat(path, &status)) == 0;
  bool is_regular = exists && S_ISREG(status.st_mode);
  if (exists && S_ISDIR(status.st_mode)) return EISDIR;
  if (is_regular) output->mode = status.st_mode & 0777;
  if (exists && !replaces_any) {
    output->descriptor = standard_descriptor(&status);
    if (output->descriptor < 0 && !is_regular) {
      output->descriptor = open(path, O_WRONLY | O_CLOEXEC);
      if (output->descriptor < 0) return errno;
    }
    if (output->descriptor >= 0) return 0;
  }
  return follow(path, replaces_any, output->place);
}

// The longest name of a temporary file.
enum { part_size = PATH_MAX + 40 };

// Creates the temporary file. Returns its descriptor, or a negated errno.
//
// Does not use `mkstemp`, which creates a file of mode 0600. The file needs the mode that the
// umask allows, and reading the umask would require changing it.
static int create_part(const cl_output *output, char *part) {
  snprintf(part, part_size, "%s.loopbench-%ld.part", output->place, (long)getpid());
  // An earlier process of the same id may have been killed.
  unlink(part);
  int descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  return descriptor < 0 ? -errno : descriptor;
}

// Reports a folder that cannot be written to before a run measures.
static int check_place(const cl_output *output) {
  char part[part_size];
  int descriptor = create_part(output, part);
  if (descriptor < 0) return -descriptor;
  close(descriptor);
  unlink(part);
  return 0;
}

int cl_output_open(const char *path, bool replaces_any, cl_output **result) {
  cl_output *output = calloc(1, sizeof *output);
  *result = output;
  if (output == NULL) return ENOMEM;
  output->descriptor = output->mode = -1;
  int error = resolve(path, replaces_any, output);
  if (error == 0 && output->descriptor < 0) error = check_place(output);
  if (error == 0) return 0;
  cl_output_close(output);
  *result = NULL;
  return error;
}

int cl_output_write(const cl_output *output, const void *bytes, size_t length) {
  if (output->descriptor >= 0) return cl_write_all(output->descriptor, bytes, length);
  char part[part_size];
  int descriptor = create_part(output, part);
  if (descriptor < 0) return -descriptor;
  // The result is not checked, because some file systems have no modes.
  if (output->mode >= 0) fchmod(descriptor, (mode_t)output->mode);
  int error = cl_write_all(descriptor, bytes, length);
  if (close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && rename(part, output->place) != 0) error = errno;
  if (error != 0) unlink(part);
  return error;
}

void cl_output_close(cl_output *output) {
  if (output->descriptor >= 0) close(output->descriptor);
  free(output);
}
