// Names of the functions at addresses of this process.
#ifndef LT_CUV_SYMBOLS_H
#define LT_CUV_SYMBOLS_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <link.h>
#endif

#include "files.h"
#include "shim.h"

typedef struct {
  // The file, and the address in it as its symbol table counts. Empty if unknown.
  char file[1024];
  uintptr_t offset;
  // The exported symbol before the address, or NULL. Valid while the module is
  // loaded.
  const char *symbol;
} lt_place;

#if defined(__linux__)
// As Dl_info and dladdr(3), which <dlfcn.h> declares for GNU extensions only.
typedef struct {
  const char *dli_fname;
  void *dli_fbase;
  const char *dli_sname;
  void *dli_saddr;
} lt_dl_info;
extern int lt_dladdr(const void *address, lt_dl_info *info) __asm__("dladdr");
#if defined(__GLIBC__)
extern int lt_dladdr1(const void *address, lt_dl_info *info, void **extra,
                      int flags) __asm__("dladdr1");
#endif
#else
typedef Dl_info lt_dl_info;
static inline int lt_dladdr(const void *address, lt_dl_info *info) { return dladdr(address, info); }
#endif

// Finds the module that contains `address`. Returns 0 if there is none.
static inline int lt_place_find(uintptr_t address, lt_place *place) {
  memset(place, 0, sizeof *place);
  place->offset = address;
  lt_dl_info info;
#if defined(__GLIBC__)
  struct link_map *map = NULL;
  if (lt_dladdr1((const void *)address, &info, (void **)&map, 2 /* RTLD_DL_LINKMAP */) == 0 ||
      map == NULL)
    return 0;
  // 0 if the program was linked for a fixed address.
  uintptr_t bias = (uintptr_t)map->l_addr;
  // The name of the program itself may be relative to an earlier directory.
  const char *file = map->l_name[0] == 0 ? NULL : info.dli_fname;
#else
  if (lt_dladdr((const void *)address, &info) == 0) return 0;
  uintptr_t bias = (uintptr_t)info.dli_fbase;
  const char *file = info.dli_fname;
#endif
  if (file == NULL) {
    if (readlink("/proc/self/exe", place->file, sizeof place->file - 1) <= 0) return 0;
  } else {
    strncpy(place->file, file, sizeof place->file - 1);
  }
  place->offset = address - bias;
  place->symbol = info.dli_sname;
  return 1;
}

// Part of the Swift runtime, also of one that is linked statically.
extern char *lt_swift_demangle(const char *name, size_t length, char *buffer, size_t *size,
                               uint32_t flags) __asm__("swift_demangle");

// Returns the Swift name that `name` stands for, which the caller frees, or NULL.
static inline char *lt_demangle(const char *name) {
  return lt_swift_demangle(name, strlen(name), NULL, NULL, 0);
}

static inline void lt_string_free(char *text) { free(text); }

static inline char *lt_string_copy(const char *text) { return strdup(text); }

// Reads `descriptor` until its end, for at most `milliseconds`. Returns the
// length, or a negated errno.
static inline ssize_t lt_read_until(int descriptor, char *text, size_t size, int milliseconds) {
  uint64_t end = uv_hrtime() / 1000000u + (uint64_t)milliseconds;
  size_t length = 0;
  for (;;) {
    uint64_t now = uv_hrtime() / 1000000u;
    struct pollfd entry = {descriptor, POLLIN, 0};
    int ready = now < end ? poll(&entry, 1, (int)(end - now)) : 0;
    if (ready == 0) return -ETIMEDOUT;
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return -errno;
    if (length == size) return -E2BIG;
    ssize_t count = read(descriptor, text + length, size - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -errno;
    if (count == 0) return (ssize_t)length;
    length += (size_t)count;
  }
}

// Starts the program `arguments[0]`, which is searched in PATH, without an
// environment. Its output goes to `output`. Returns 0, or an errno.
static inline int lt_helper_start(pid_t *helper, char *const *arguments, int output) {
  char *const environment[] = {(char *)"LC_ALL=C", NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  // Threads of Dispatch block all signals, which a child would inherit.
  sigemptyset(&none);
  sigfillset(&all);
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return error;
  error = posix_spawnattr_init(&attributes);
  if (error == 0) {
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    error = posix_spawnp(helper, arguments[0], &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Runs a program as `lt_helper_start` does, and copies its output to `text`.
// Kills it after `milliseconds`. Returns the length, or a negated errno: EPERM in a
// privileged process, whose PATH a user without its privileges may have chosen.
static inline ssize_t lt_helper_run(char *const *arguments, char *text, size_t size,
                                    int milliseconds) {
  if (lt_is_privileged()) return -EPERM;
  int ends[2];
#if defined(__linux__)
  if (pipe2(ends, O_CLOEXEC) != 0) return -errno;
#else
  if (pipe(ends) != 0) return -errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
#endif
  // Above the standard streams, which the helper replaces.
  int output = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
  close(ends[1]);
  pid_t helper = 0;
  int error = output < 0 ? errno : lt_helper_start(&helper, arguments, output);
  if (output >= 0) close(output);
  ssize_t length = error != 0 ? -error : lt_read_until(ends[0], text, size, milliseconds);
  close(ends[0]);
  if (error != 0) return length;
  if (length < 0) kill(helper, SIGKILL);
  int status = 0;
  pid_t reaped;
  do {
    reaped = waitpid(helper, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  // If another part of the process reaped it, its output tells whether it worked.
  if (length >= 0 && reaped == helper && status != 0) return -ENOEXEC;
  return length;
}

#endif
