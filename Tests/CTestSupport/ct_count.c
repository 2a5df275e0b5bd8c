#define _GNU_SOURCE
#include "ct_count.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define CT_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(CT_SANITIZED)
#define CT_INTERPOSED 1
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
void __lsan_disable(void);
#define CT_DISABLE_LEAKS __lsan_disable
#endif
#endif

void ct_forgive_leaks(void) {
#if defined(CT_DISABLE_LEAKS)
  CT_DISABLE_LEAKS();
#endif
}

bool ct_is_sanitized(void) {
#if defined(CT_SANITIZED)
  return true;
#else
  return false;
#endif
}

#if defined(CT_INTERPOSED)

#include <dlfcn.h>
#include <malloc.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>

#include "../../Sources/CUV/scarce.h"

static __thread uint64_t allocations;
static __thread uint64_t writes;
static __thread uint64_t reads;
static __thread uint64_t polls;
static __thread uint64_t poll_changes;
static __thread uint64_t clock_readings;
static __thread void (*hook)(void *, int);
static __thread void *hook_context;
static __thread struct once {
  void (*hook)(void *);
  void *context;
} onces[ct_call_count];
static __thread uint64_t deadline;
static __thread uint64_t deadline_changes;
static __thread int refused_threads;
static __thread int refused_processes;
static __thread int refused_watches;

bool ct_is_interposed(void) { return true; }
uint64_t ct_allocations(void) { return allocations; }
uint64_t ct_writes(void) { return writes; }
uint64_t ct_reads(void) { return reads; }
uint64_t ct_polls(void) { return polls; }
uint64_t ct_poll_changes(void) { return poll_changes; }
uint64_t ct_clock_readings(void) { return clock_readings; }
uint64_t ct_deadline(void) { return deadline; }
uint64_t ct_deadline_changes(void) { return deadline_changes; }

size_t ct_heap_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void ct_before_blocking(void (*new_hook)(void *, int), void *context) {
  hook = new_hook;
  hook_context = context;
}

void ct_before(ct_call call, void (*new_hook)(void *), void *context) {
  onces[call] = (struct once){new_hook, context};
}

static void run_hook(ct_call call) {
  struct once once = onces[call];
  onces[call].hook = NULL;
  if (once.hook != NULL) once.hook(once.context);
}

static void count_allocation(void) {
  allocations += 1;
  run_hook(ct_allocation);
}

// The dynamic linker finds these definitions before the C library's, so every
// module in the process calls them.

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  count_allocation();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  count_allocation();
  return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  count_allocation();
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count_allocation();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  count_allocation();
  *block = __libc_memalign(alignment, size);
  return *block == NULL ? ENOMEM : 0;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  writes += 1;
  run_hook(ct_write);
  return syscall(SYS_write, descriptor, bytes, count);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  writes += 1;
  run_hook(ct_write);
  return syscall(SYS_writev, descriptor, parts, count);
}

ssize_t read(int descriptor, void *bytes, size_t count) {
  reads += 1;
  return syscall(SYS_read, descriptor, bytes, count);
}

static char groups_root[4096];

void ct_find_control_groups(const char *root) {
  snprintf(groups_root, sizeof groups_root, "%s", root);
}

static bool starts_with(const char *path, const char *start) {
  return strncmp(path, start, strlen(start)) == 0;
}

FILE *fopen(const char *path, const char *mode) {
  FILE *(*open_file)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");
  char other[8192];
  bool is_group = starts_with(path, "/proc/self/cgroup") || starts_with(path, "/sys/fs/cgroup");
  if (groups_root[0] == 0 || !is_group) return open_file(path, mode);
  snprintf(other, sizeof other, "%s%s", groups_root, path);
  return open_file(other, mode);
}

void ct_refuse_threads(int count) { refused_threads = count; }

int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context) {
  int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
      dlsym(RTLD_NEXT, "pthread_create");
  if (refused_threads == 0) return create(thread, attributes, body, context);
  refused_threads -= 1;
  return EAGAIN;
}

void ct_refuse_processes(int count) { refused_processes = count; }

typedef struct {
  pid_t *child;
  const char *path;
  const posix_spawn_file_actions_t *actions;
  const posix_spawnattr_t *attributes;
  char *const *arguments;
  char *const *environment;
} spawning;

static int spawn_attempt(void *context) {
  spawning *self = context;
  int (*spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
               char *const *, char *const *) = dlsym(RTLD_NEXT, "posix_spawn");
  if (refused_processes > 0) {
    refused_processes -= 1;
    return EAGAIN;
  }
  return spawn(self->child, self->path, self->actions, self->attributes, self->arguments,
               self->environment);
}

// Retries, because Testing and Foundation do not: a refused process would fail
// an exit test, and a test that runs a program.
int posix_spawn(
    pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment) {
  spawning self = {child, path, actions, attributes, arguments, environment};
  return lt_while_scarce(spawn_attempt, &self);
}

int sched_yield(void) {
  run_hook(ct_yield_call);
  return (int)syscall(SYS_sched_yield);
}

int epoll_pwait(
    int descriptor, struct epoll_event *events, int count, int timeout, const sigset_t *mask) {
  polls += 1;
  if (hook != NULL && timeout != 0) hook(hook_context, timeout);
  return syscall(SYS_epoll_pwait, descriptor, events, count, timeout, mask, _NSIG / 8);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  // Relaxed: every thread finds the same address.
  static int (*read_clock)(clockid_t, struct timespec *);
  int (*read)(clockid_t, struct timespec *) = __atomic_load_n(&read_clock, __ATOMIC_RELAXED);
  if (read == NULL) {
    read = dlsym(RTLD_NEXT, "clock_gettime");
    __atomic_store_n(&read_clock, read, __ATOMIC_RELAXED);
  }
  clock_readings += 1;
  return read(clock, time);
}

int timerfd_settime(
    int descriptor, int flags, const struct itimerspec *new, struct itimerspec *old) {
  deadline_changes += 1;
  if (flags & TFD_TIMER_ABSTIME)
    deadline = (uint64_t)new->it_value.tv_sec * 1000000000u + (uint64_t)new->it_value.tv_nsec;
  return (int)syscall(SYS_timerfd_settime, descriptor, flags, new, old);
}

static bool lookups_are_held;

void ct_hold_lookups(bool are_held) {
  __atomic_store_n(&lookups_are_held, are_held, __ATOMIC_RELAXED);
}

// For the host `two.test`, finds 127.0.0.2, on which no test listens, and 127.0.0.1. For
// `bücher.test` in Punycode, finds 127.0.0.1.
int getaddrinfo(
    const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  int (*look_up)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
      dlsym(RTLD_NEXT, "getaddrinfo");
  if (host != NULL && strcmp(host, "held.test") == 0) {
    while (__atomic_load_n(&lookups_are_held, __ATOMIC_RELAXED))
      nanosleep(&(struct timespec){0, 1000000}, NULL);
    return EAI_AGAIN;
  }
  if (host != NULL && strcmp(host, "xn--bcher-kva.test") == 0) host = "127.0.0.1";
  if (host == NULL || strcmp(host, "two.test") != 0) return look_up(host, service, hints, found);
  int error = look_up("127.0.0.2", service, hints, found);
  return error != 0 ? error : look_up("127.0.0.1", service, hints, &(*found)->ai_next);
}

void ct_refuse_watches(int count) { refused_watches = count; }

int epoll_ctl(int descriptor, int operation, int watched, struct epoll_event *event) {
  poll_changes += 1;
  if (operation == EPOLL_CTL_ADD && refused_watches > 0) {
    refused_watches -= 1;
    errno = EPERM;
    return -1;
  }
  return (int)syscall(SYS_epoll_ctl, descriptor, operation, watched, event);
}

int epoll_wait(int descriptor, struct epoll_event *events, int count, int timeout) {
  return epoll_pwait(descriptor, events, count, timeout, NULL);
}

#else

bool ct_is_interposed(void) { return false; }
uint64_t ct_allocations(void) { return 0; }
uint64_t ct_writes(void) { return 0; }
uint64_t ct_reads(void) { return 0; }
uint64_t ct_polls(void) { return 0; }
uint64_t ct_poll_changes(void) { return 0; }
uint64_t ct_clock_readings(void) { return 0; }
uint64_t ct_deadline(void) { return 0; }
uint64_t ct_deadline_changes(void) { return 0; }
size_t ct_heap_bytes(void) { return 0; }
void ct_find_control_groups(const char *root) { (void)root; }
void ct_refuse_threads(int count) { (void)count; }
void ct_refuse_processes(int count) { (void)count; }
void ct_refuse_watches(int count) { (void)count; }
void ct_hold_lookups(bool are_held) { (void)are_held; }

void ct_before(ct_call call, void (*hook)(void *), void *context) {
  (void)call;
  (void)hook;
  (void)context;
}

void ct_before_blocking(void (*hook)(void *, int), void *context) {
  (void)hook;
  (void)context;
}

#endif
