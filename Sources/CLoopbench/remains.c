#include "remains.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char mark[] = ".loopbench-";

void cl_remains_name(char *name, size_t capacity, const char *place, pid_t owner,
                     unsigned attempt) {
  snprintf(name, capacity, "%s%s%ld-%u.part", place, mark, (long)owner, attempt);
}

// Returns the owner's process id in a name made by `cl_remains_name`. Returns 0 for
// any other name.
static pid_t owner_of(const char *name) {
  const char *suffix = NULL;
  for (const char *next = name; (next = strstr(next, mark)) != NULL; next++) suffix = next;
  long owner = 0;
  unsigned attempt = 0;
  if (suffix == NULL || suffix == name) return 0;
  if (sscanf(suffix + strlen(mark), "%ld-%u", &owner, &attempt) != 2) return 0;
  if (owner <= 0 || owner > INT_MAX) return 0;
  // Formats the name again and compares, because scanf also accepts signs,
  // spaces and leading zeros.
  char same[CL_REMAINS_SUFFIX];
  cl_remains_name(same, sizeof same, "", (pid_t)owner, attempt);
  return strcmp(same, suffix) == 0 ? (pid_t)owner : 0;
}

static bool is_locked(int folder, const char *name) {
  int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return true;
  bool is_locked = flock(file, LOCK_EX | LOCK_NB) != 0;
  close(file);
  return is_locked;
}

static bool is_remain(int folder, const char *name) {
  pid_t owner = owner_of(name);
  if (owner == 0) return false;
  // EPERM means that the owner is alive and belongs to another user.
  if (kill(owner, 0) == 0 || errno != ESRCH) return false;
  struct stat status;
  if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (!S_ISREG(status.st_mode) || status.st_nlink != 1 || status.st_uid != geteuid()) return false;
  // The owner may be alive on another machine or in another container.
  return !is_locked(folder, name);
}

void cl_remains_remove(const char *place) {
  char path[PATH_MAX];
  const char *slash = strrchr(place, '/');
  if (slash == NULL) return;
  snprintf(path, sizeof path, "%.*s", (int)(slash + 1 - place), place);
  DIR *folder = opendir(path);
  if (folder == NULL) return;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (is_remain(dirfd(folder), entry->d_name)) unlinkat(dirfd(folder), entry->d_name, 0);
  }
  closedir(folder);
}
