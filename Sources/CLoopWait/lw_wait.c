// A library that `loopbench watch` preloads into the program it starts. It wraps
// the C library's calls that wait for events, and records when each wait began and
// ended in memory that it shares with the watcher. It never fails a call: without
// the memory, the wrappers only forward.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lw_records.h"

static struct lw_records *records;
static pthread_key_t ending;
// This thread's entry, or NULL before its first wait.
static _Thread_local struct lw_thread *entry __attribute__((tls_model("initial-exec")));
// True if no entry was free for this thread.
static _Thread_local bool is_refused __attribute__((tls_model("initial-exec")));

// This thread's numbers for the watcher; 0 before they are read. The main thread reads
// them at the start, because a filter of system calls may forbid it later.
static _Thread_local int32_t own_thread __attribute__((tls_model("initial-exec")));
static _Thread_local int32_t own_process __attribute__((tls_model("initial-exec")));
// False in a PID namespace of its own, where the numbers of other entries mean others.
static _Thread_local bool knows_others __attribute__((tls_model("initial-exec")));

static void read_numbers(void) {
  int32_t thread = (int32_t)syscall(SYS_gettid), process = getpid();
  char link[48];
  // Has the numbers in the namespace of /proc, which is usually the watcher's.
  ssize_t length = readlink("/proc/thread-self", link, sizeof link - 1);
  link[length > 0 ? length : 0] = 0;
  if (sscanf(link, "%d/task/%d", &own_process, &own_thread) != 2) {
    own_process = process;
    own_thread = thread;
    knows_others = false;
  } else {
    knows_others = own_process == process && own_thread == thread;
  }
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// MARK: Entries

static void release_entry(void *ended) {
  struct lw_thread *thread = ended;
  // The thread may still wait in a later destructor, and then takes another entry.
  entry = NULL;
  // Release: the next thread that takes the entry sees the last wait complete.
  atomic_store_explicit(&thread->thread, 0, memory_order_release);
}

// The entries stay with the parent, so a child of fork() takes its own.
static void forget_entry(void) {
  entry = NULL;
  is_refused = false;
  own_thread = 0;
  pthread_setspecific(ending, NULL);
}

static bool claim(struct lw_thread *free, int32_t thread) {
  int32_t expected = 0;
  // -1 while the entry is prepared, so that the watcher does not read it yet.
  if (!atomic_compare_exchange_strong_explicit(
        &free->thread, &expected, -1, memory_order_acquire, memory_order_relaxed))
    return false;
  atomic_store_explicit(&free->process, own_process, memory_order_relaxed);
  atomic_store_explicit(&free->sequence, 0, memory_order_relaxed);
  // Release: a watcher that reads the thread also reads its process and sequence.
  atomic_store_explicit(&free->thread, thread, memory_order_release);
  return true;
}

// An entry stays when a process ends, and when a signal ends it.
static bool is_left(struct lw_thread *old) {
  int32_t thread = atomic_load_explicit(&old->thread, memory_order_relaxed);
  int32_t process = atomic_load_explicit(&old->process, memory_order_relaxed);
  if (!knows_others) return false;
  if (thread <= 0 || syscall(SYS_tgkill, process, thread, 0) == 0 || errno != ESRCH) return false;
  // Only one thread frees the entry, and not if another thread took it meanwhile.
  return atomic_compare_exchange_strong_explicit(
    &old->thread, &thread, 0, memory_order_acquire, memory_order_relaxed);
}

static struct lw_thread *find_entry(void) {
  if (own_thread == 0) read_numbers();
  int32_t thread = own_thread, process = own_process;
  int32_t count = atomic_load_explicit(&records->count, memory_order_acquire);
  // An entry with the same numbers belongs to this process before it called exec.
  for (int32_t i = 0; i < count; i++) {
    struct lw_thread *old = &records->threads[i];
    if (atomic_load_explicit(&old->thread, memory_order_relaxed) == thread &&
        atomic_load_explicit(&old->process, memory_order_relaxed) == process)
      atomic_store_explicit(&old->thread, 0, memory_order_release);
  }
  for (int32_t i = 0; i < LW_THREADS; i++) {
    struct lw_thread *free = &records->threads[i];
    if (!claim(free, thread) && !(is_left(free) && claim(free, thread))) continue;
    while (count < i + 1 && !atomic_compare_exchange_weak_explicit(
                              &records->count, &count, i + 1, memory_order_acq_rel,
                              memory_order_acquire)) {}
    return free;
  }
  return NULL;
}

static struct lw_thread *own_entry(void) {
  if (entry || !records || is_refused) return entry;
  int error = errno;
  entry = find_entry();
  is_refused = !entry;
  if (entry) pthread_setspecific(ending, entry);
  errno = error;
  return entry;
}

// MARK: Waits

static struct lw_thread *begin(int descriptor, int timeout, void *site, void *stack) {
  struct lw_thread *thread = own_entry();
  if (!thread) return NULL;
  uint64_t sequence = atomic_load_explicit(&thread->sequence, memory_order_relaxed);
  struct lw_wait *wait = &thread->waits[sequence / 2 % LW_WAITS];
  // Release fence: a watcher that reads a field from below reads this sequence, too,
  // and so knows that the slot's old wait was overwritten.
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&wait->descriptor, descriptor, memory_order_relaxed);
  atomic_store_explicit(&wait->timeout, timeout, memory_order_relaxed);
  atomic_store_explicit(&wait->site, (uint32_t)(uintptr_t)site, memory_order_relaxed);
  atomic_store_explicit(&wait->stack, (uint32_t)((uintptr_t)stack >> 4), memory_order_relaxed);
  atomic_store_explicit(&wait->began, now(), memory_order_relaxed);
  // Release: a watcher that sees the odd number sees the fields above.
  atomic_store_explicit(&thread->sequence, sequence | 1, memory_order_release);
  return thread;
}

static void end(struct lw_thread *thread, int events) {
  if (!thread) return;
  uint64_t sequence = atomic_load_explicit(&thread->sequence, memory_order_relaxed);
  // A signal handler that waited during this wait has ended it.
  if (sequence % 2 == 0) return;
  struct lw_wait *wait = &thread->waits[sequence / 2 % LW_WAITS];
  atomic_store_explicit(&wait->events, events < 0 ? -errno : events, memory_order_relaxed);
  atomic_store_explicit(&wait->ended, now(), memory_order_relaxed);
  // Release: a watcher that sees the even number sees the fields above.
  atomic_store_explicit(&thread->sequence, sequence + 1, memory_order_release);
}

static int milliseconds(const struct timespec *time) {
  if (!time) return -1;
  if (time->tv_sec > INT32_MAX / 1000 - 1) return INT32_MAX;
  return (int)(time->tv_sec * 1000 + (time->tv_nsec + 999999) / 1000000);
}

// MARK: The wrapped calls

// Sets `next` to the C library's own function, which is a constant.
#define NEXT(name)                                                                      \
  static __typeof__(name) *_Atomic next_##name;                                         \
  __typeof__(name) *next = atomic_load_explicit(&next_##name, memory_order_relaxed);    \
  if (!next) {                                                                          \
    next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);                                 \
    atomic_store_explicit(&next_##name, next, memory_order_relaxed);                    \
  }                                                                                     \
  if (!next) return errno = ENOSYS, -1

#define RECORD(descriptor, timeout, wait)                                                      \
  struct lw_thread *thread = begin(                                                            \
    (descriptor), (timeout), __builtin_return_address(0), __builtin_frame_address(0));         \
  int events = (wait);                                                                         \
  end(thread, events);                                                                         \
  return events

int epoll_wait(int descriptor, struct epoll_event *list, int capacity, int timeout) {
  NEXT(epoll_wait);
  RECORD(descriptor, timeout, next(descriptor, list, capacity, timeout));
}

int epoll_pwait(
  int descriptor, struct epoll_event *list, int capacity, int timeout, const sigset_t *mask) {
  NEXT(epoll_pwait);
  RECORD(descriptor, timeout, next(descriptor, list, capacity, timeout, mask));
}

int epoll_pwait2(
  int descriptor, struct epoll_event *list, int capacity, const struct timespec *timeout,
  const sigset_t *mask) {
  NEXT(epoll_pwait2);
  RECORD(
    descriptor, milliseconds(timeout), next(descriptor, list, capacity, timeout, mask));
}

int poll(struct pollfd *list, nfds_t count, int timeout) {
  NEXT(poll);
  RECORD(-1, timeout, next(list, count, timeout));
}

int ppoll(
  struct pollfd *list, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
  NEXT(ppoll);
  RECORD(-1, milliseconds(timeout), next(list, count, timeout, mask));
}

// The variants of programs that were compiled with _FORTIFY_SOURCE.
int __poll_chk(struct pollfd *list, nfds_t count, int timeout, size_t size);
int __ppoll_chk(
  struct pollfd *list, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
  size_t size);

int __poll_chk(struct pollfd *list, nfds_t count, int timeout, size_t size) {
  NEXT(__poll_chk);
  RECORD(-1, timeout, next(list, count, timeout, size));
}

int __ppoll_chk(
  struct pollfd *list, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
  size_t size) {
  NEXT(__ppoll_chk);
  RECORD(-1, milliseconds(timeout), next(list, count, timeout, mask, size));
}

int select(int count, fd_set *in, fd_set *out, fd_set *failed, struct timeval *timeout) {
  NEXT(select);
  struct timespec time = {0};
  if (timeout) time = (struct timespec){timeout->tv_sec, timeout->tv_usec * 1000};
  RECORD(
    -1, milliseconds(timeout ? &time : NULL),
    next(count, in, out, failed, timeout));
}

int pselect(
  int count, fd_set *in, fd_set *out, fd_set *failed, const struct timespec *timeout,
  const sigset_t *mask) {
  NEXT(pselect);
  RECORD(
    -1, milliseconds(timeout), next(count, in, out, failed, timeout, mask));
}

// MARK: Start

// Maps the memory, or returns MAP_FAILED. When the watcher has ended, its path may name
// a file of another process.
static void *map_file(const char *path) {
  int file = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0) return MAP_FAILED;
  struct stat status;
  void *memory = MAP_FAILED;
  if (fstat(file, &status) == 0 && status.st_size == sizeof(struct lw_records))
    memory = mmap(NULL, sizeof(struct lw_records), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return memory;
}

__attribute__((constructor)) static void map_records(void) {
  // Not in a set-user-ID program: another user chose its environment.
  const char *path = secure_getenv(LW_VARIABLE);
  struct lw_records *memory = path ? map_file(path) : MAP_FAILED;
  if (memory == MAP_FAILED) return;
  if (atomic_load_explicit(&memory->version, memory_order_acquire) != LW_VERSION ||
      pthread_key_create(&ending, release_entry) != 0) {
    munmap(memory, sizeof(struct lw_records));
    return;
  }
  read_numbers();
  pthread_atfork(NULL, NULL, forget_entry);
  records = memory;
}

// Runtimes that the watcher has asked for the names of their functions write this file.
// The watcher removes it, too, but may have been killed.
__attribute__((destructor)) static void remove_names(void) {
  char path[40];
  struct stat status;
  // Not in other programs, because a filter of system calls may forbid the calls.
  if (!records || (!dlsym(RTLD_DEFAULT, "Py_Initialize") && !dlsym(RTLD_DEFAULT, "uv_run"))) return;
  snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
  if (lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid())
    unlink(path);
}
