// libuv, and the few functions that cannot be written in Swift.
//
// All functions are `static inline`, so there is no C object to build or link,
// and the Swift optimiser can inline each call.
#ifndef LT_CUV_SHIM_H
#define LT_CUV_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "scarce.h"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#endif

// MARK: Thread identity

// Returns an address that identifies the calling thread while it exists.
// `pthread_self()` is declared const, so the optimiser merges two calls across
// a suspension point. It cannot merge volatile reads of the thread register.
static inline uintptr_t lt_thread_identity(void) {
  uintptr_t identity;
#if defined(__x86_64__) && defined(__linux__)
  __asm__ volatile("movq %%fs:0, %0" : "=r"(identity));
#elif defined(__aarch64__) && defined(__linux__)
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(identity));
#elif defined(__aarch64__) && defined(__APPLE__)
  __asm__ volatile("mrs %0, tpidrro_el0" : "=r"(identity));
  identity &= ~(uintptr_t)7;
#else
  identity = (uintptr_t)uv_thread_self();
#endif
  return identity;
}

// MARK: Cycle counter

// Returns a counter of constant rate, in an unspecified unit, or 0 if the CPU
// has none. Costs about 10 ns, while `uv_hrtime` costs 26 ns.
static inline uint64_t lt_cycles(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return 0;
#endif
}

// The number of cycles in 4 to 10 us, depending on the CPU.
static inline uint64_t lt_few_microseconds(void) {
#if defined(__x86_64__)
  return 20000;
#elif defined(__aarch64__)
  uint64_t frequency;
  __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
  return frequency / 100000;
#else
  return 0;
#endif
}

static inline void lt_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Prefetches a cache line that another CPU wrote or read last. This is a hint,
// so the address need not be valid.
static inline void lt_prefetch_for_writing(const void *address) {
#if defined(__x86_64__)
  // Does not use the builtin, which prefetches for reading unless a CPU flag is
  // set.
  __asm__ volatile("prefetchw %0" : : "m"(*(const char *)address));
#else
  __builtin_prefetch(address, 1, 3);
#endif
}

// MARK: Threads

typedef struct {
  void (*body)(void *);
  void *context;
} lt_thread_arguments;

static inline void *lt_thread_main(void *opaque) {
  lt_thread_arguments arguments = *(lt_thread_arguments *)opaque;
  free(opaque);
  arguments.body(arguments.context);
  return NULL;
}

static inline lt_thread_arguments *lt_thread_arguments_make(void (*body)(void *), void *context) {
  lt_thread_arguments *arguments = (lt_thread_arguments *)malloc(sizeof *arguments);
  if (arguments == NULL) return NULL;
  arguments->body = body;
  arguments->context = context;
  return arguments;
}

// Starts a detached thread. Returns 0, or an errno. Tries once and does not
// block.
static inline int lt_thread_start(void (*body)(void *), void *context) {
  lt_thread_arguments *arguments = lt_thread_arguments_make(body, context);
  if (arguments == NULL) return ENOMEM;
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  int error = pthread_create(&thread, &attributes, lt_thread_main, arguments);
  pthread_attr_destroy(&attributes);
  if (error != 0) free(arguments);
  return error;
}

// A struct, because Swift sees `pthread_t` as an optional on some systems.
typedef struct {
  pthread_t thread;
} lt_joinable;

// Starts a thread that must be joined or detached. Returns 0, or an errno.
// Retries on EAGAIN for up to 10 ms.
static inline int lt_thread_start_joinable(lt_joinable *thread, void (*body)(void *),
                                           void *context) {
  lt_thread_arguments *arguments = lt_thread_arguments_make(body, context);
  if (arguments == NULL) return ENOMEM;
  int error = lt_thread_create(&thread->thread, NULL, lt_thread_main, arguments);
  if (error != 0) free(arguments);
  return error;
}

static inline void lt_thread_join(const lt_joinable *thread) {
  pthread_join(thread->thread, NULL);
}

static inline void lt_thread_detach(const lt_joinable *thread) {
  pthread_detach(thread->thread);
}

// Names the calling thread. Linux truncates the name to 15 bytes.
static inline void lt_thread_set_name(const char *name) {
#if defined(__linux__)
  char shown[16];
  strncpy(shown, name, sizeof shown - 1);
  shown[sizeof shown - 1] = 0;
  pthread_setname_np(pthread_self(), shown);
#elif defined(__APPLE__)
  pthread_setname_np(name);
#else
  (void)name;
#endif
}

// Reads the first `size` bytes of a file into `text`. Returns the number of
// bytes read, or -1.
static inline long lt_read_file(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "re");
  if (file == NULL) return -1;
  size_t length = fread(text, 1, size, file);
  fclose(file);
  return (long)length;
}

static inline void lt_yield(void) { sched_yield(); }

// MARK: CPU affinity

// Whether any thread was pinned. Threads inherit the CPUs of the thread that
// starts them, so workers then ask for the process's. Relaxed: a thread that a
// pinned thread started sees the store of its starter.
__attribute__((weak, visibility("hidden"))) int lt_pinned = 0;

// 8,192: the most CPUs a Linux kernel supports.
typedef struct {
  unsigned long words[8192 / (8 * sizeof(unsigned long))];
} lt_cpu_set;

// Makes the calling thread run only on the given CPUs. Returns 0, or a negated
// errno. Does nothing on other systems than Linux.
static inline int lt_thread_pin(const int32_t *cpus, size_t count) {
#if defined(__linux__)
  const size_t bits = 8 * sizeof(unsigned long);
  lt_cpu_set set = {{0}};
  for (size_t i = 0; i < count; i++) {
    if (cpus[i] < 0 || (size_t)cpus[i] >= 8 * sizeof set) return -EINVAL;
    set.words[(size_t)cpus[i] / bits] |= 1ul << ((size_t)cpus[i] % bits);
  }
  // The system call, because glibc declares its wrapper only with _GNU_SOURCE.
  if (syscall(SYS_sched_setaffinity, 0, sizeof set, &set) != 0) return -errno;
  __atomic_store_n(&lt_pinned, 1, __ATOMIC_RELAXED);
#else
  (void)cpus;
  (void)count;
#endif
  return 0;
}

// Makes the calling thread run on the CPUs of the process's first thread, if
// any thread was pinned.
static inline void lt_thread_unpin(void) {
#if defined(__linux__)
  if (__atomic_load_n(&lt_pinned, __ATOMIC_RELAXED) == 0) return;
  lt_cpu_set set = {{0}};
  long size = syscall(SYS_sched_getaffinity, getpid(), sizeof set, &set);
  if (size > 0) syscall(SYS_sched_setaffinity, 0, (size_t)size, &set);
#endif
}

// MARK: Handles of a loop

// Whether an idle handle of the loop is active. The first word of the list is the
// address of the first handle's link, or of the list itself if it is empty, in all
// versions of libuv 1.
static inline int lt_has_idle_handles(const uv_loop_t *loop) {
  const void *list = &loop->idle_handles;
  return *(void *const *)list != list;
}

// MARK: Idle time

// Makes libuv measure the time that its polls block. Written in C, because
// Swift cannot call variadic functions.
static inline int lt_measure_idle(uv_loop_t *loop) {
  return uv_loop_configure(loop, UV_METRICS_IDLE_TIME);
}

// MARK: Futex

// Blocks while `*word == expected`, for at most 1 ms. Callers must check again.
static inline void lt_word_wait(void *word, uint32_t expected) {
#if defined(__linux__)
  struct timespec limit = {0, 1000000};
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, &limit, NULL, 0);
#else
  (void)word;
  (void)expected;
  struct timespec nap = {0, 50000};
  nanosleep(&nap, NULL);
#endif
}

// Wakes one thread that is blocked on `word`.
static inline void lt_word_wake(void *word) {
#if defined(__linux__)
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
#else
  (void)word;
#endif
}

// Writes the name and number of the calling thread to `text`, as `name
// (number)`.
static inline void lt_thread_describe(char *text, size_t size) {
  char name[64] = "";
#if defined(__linux__)
  pthread_getname_np(pthread_self(), name, sizeof name);
  snprintf(text, size, "%s (%ld)", name, (long)syscall(SYS_gettid));
#elif defined(__APPLE__)
  uint64_t number = 0;
  pthread_getname_np(pthread_self(), name, sizeof name);
  pthread_threadid_np(NULL, &number);
  snprintf(text, size, "%s (%llu)", name, (unsigned long long)number);
#else
  snprintf(text, size, "%s(%lx)", name, (unsigned long)pthread_self());
#endif
}

// MARK: The main thread

// Returns whether the caller is the process's first thread.
static inline int lt_is_main_thread(void) {
#if defined(__linux__)
  return (long)getpid() == syscall(SYS_gettid);
#elif defined(__APPLE__)
  return pthread_main_np();
#else
  return 0;
#endif
}

// Dispatch exports these two functions for CoreFoundation but does not declare
// them. Weak: a program without Dispatch links too. Not found by dlsym, which
// sees no symbol of a statically linked runtime.
#if defined(__linux__)
extern int _dispatch_get_main_queue_handle_4CF(void) __attribute__((weak));
extern void _dispatch_main_queue_callback_4CF(void *) __attribute__((weak));
#endif

#if defined(__linux__)
enum {
  // Those of Dispatch's first sources: its epoll, an eventfd, a timerfd and the copy of the
  // descriptor that a source watches. A run loop's main queue has an eventfd, too.
  LT_DISPATCH_DESCRIPTORS = 5,
};

// Returns 0 if `count` descriptors are free, at most `LT_DISPATCH_DESCRIPTORS`, or a negated
// errno. Dispatch traps if it cannot open one.
static inline int lt_dispatch_probe_for(int count) {
  int opened[LT_DISPATCH_DESCRIPTORS];
  int made = 0;
  while (made < count && (opened[made] = eventfd(0, EFD_CLOEXEC)) >= 0) made++;
  int result = made < count ? -errno : 0;
  while (made > 0) close(opened[--made]);
  return result;
}
#endif

// Returns a descriptor that is readable while Dispatch's main queue has work,
// `UV_ENOSYS` if Dispatch is not linked or uses no descriptor, or a negated errno.
static inline int lt_main_queue_descriptor(void) {
#if defined(__linux__)
  if (!_dispatch_get_main_queue_handle_4CF || !_dispatch_main_queue_callback_4CF)
    return UV_ENOSYS;
  // Dispatch opens an eventfd at the first call.
  int result = lt_dispatch_probe_for(1);
  if (result != 0) return result;
  return _dispatch_get_main_queue_handle_4CF();
#else
  // A Mach port on Apple's platforms.
  return UV_ENOSYS;
#endif
}

// Returns 0 if Dispatch can serve its first sources, or a negated errno. Dispatch also loses
// a timer without a timerfd.
static inline int lt_dispatch_probe(void) {
#if defined(__linux__)
  return lt_dispatch_probe_for(LT_DISPATCH_DESCRIPTORS);
#else
  return 0;
#endif
}

// Runs the blocks of Dispatch's main queue. Requires a descriptor of it.
static inline void lt_main_queue_drain(void) {
#if defined(__linux__)
  _dispatch_main_queue_callback_4CF(NULL);
#endif
}

// MARK: Wake descriptor

// Creates an eventfd. Returns a negated errno on failure, or `UV_ENOSYS` on
// systems other than Linux.
static inline int lt_eventfd_open(void) {
#if defined(__linux__)
  int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return descriptor >= 0 ? descriptor : -errno;
#else
  return UV_ENOSYS;
#endif
}

// Opens a pipe, its reading end first. Returns 0, or -1 and sets errno.
static inline int lt_pipe_open(int ends[2]) {
#if defined(__linux__)
  return pipe2(ends, O_CLOEXEC);
#else
  if (pipe(ends) != 0) return -1;
  return fcntl(ends[0], F_SETFD, FD_CLOEXEC) | fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#endif
}

// Adds one to the eventfd. Async-signal-safe: preserves errno.
static inline void lt_eventfd_write(int descriptor) {
#if defined(__linux__)
  int saved = errno;
  uint64_t one = 1;
  ssize_t written;
  do {
    written = write(descriptor, &one, sizeof one);
  } while (written < 0 && errno == EINTR);
  errno = saved;
#else
  (void)descriptor;
#endif
}

// Reads and resets the counter of an eventfd or timerfd. Returns 0 if the
// counter was 0.
static inline uint64_t lt_counter_read(int descriptor) {
  uint64_t count = 0;
  ssize_t taken;
  do {
    taken = read(descriptor, &count, sizeof count);
  } while (taken < 0 && errno == EINTR);
  return taken == (ssize_t)sizeof count ? count : 0;
}

// Switches `descriptor`, which the loop already watches, to edge-triggered
// polling. Returns 0, or a negated errno.
static inline int lt_watch_edges(uv_loop_t *loop, int descriptor) {
#if defined(__linux__)
  // Passes the same data as libuv, which finds its watcher by the descriptor.
  struct epoll_event event = {0};
  event.events = EPOLLIN | EPOLLET;
  event.data.fd = descriptor;
  return epoll_ctl(uv_backend_fd(loop), EPOLL_CTL_MOD, descriptor, &event) == 0 ? 0 : -errno;
#else
  (void)loop;
  (void)descriptor;
  return UV_ENOSYS;
#endif
}

static inline void lt_descriptor_close(int descriptor) { close(descriptor); }

// MARK: Child processes

// Opens a descriptor that becomes readable when the process ends. Returns a
// negated errno on failure; `UV_ENOSYS` on other systems.
static inline int lt_pidfd_open(int process) {
#if defined(__linux__) && defined(SYS_pidfd_open)
  int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
  return descriptor >= 0 ? descriptor : -errno;
#else
  (void)process;
  return UV_ENOSYS;
#endif
}

// P_PIDFD of Linux 5.4, which older headers lack.
#define LT_PIDFD ((idtype_t)3)

// Waits for an ended child without blocking. `info->si_pid` is 0 while the child
// runs. Returns 0, or a negated errno.
static inline int lt_child_wait(idtype_t type, int child, int options, siginfo_t *info) {
  int result;
  do {
    memset(info, 0, sizeof *info);
    result = waitid(type, (id_t)child, info, WEXITED | WNOHANG | options);
  } while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : 0;
}

// Whether the child has ended. `waitid` also reports the stops of a child that this
// process traces.
static inline int lt_child_has_ended(const siginfo_t *info) {
  return info->si_pid != 0 && (info->si_code == CLD_EXITED || info->si_code == CLD_KILLED ||
                               info->si_code == CLD_DUMPED);
}

// Checks that `process` is a child that can be waited for, by `pidfd` unless that
// is negative. Returns 0, `UV_ESRCH` if it is not, or another negated errno.
static inline int lt_child_check(int process, int pidfd) {
  siginfo_t info;
  int result = pidfd < 0 ? lt_child_wait(P_PID, process, WNOWAIT, &info)
                         : lt_child_wait(LT_PIDFD, pidfd, WNOWAIT, &info);
  return result == -ECHILD ? UV_ESRCH : result;
}

// Reaps `process` if it has ended, by `pidfd` unless that is negative. Returns 0
// while it runs, 1 if it exited with status `value`, 2 if signal `value` ended it,
// 3 if it is not a child any more, and 4 if `pidfd` is not its pidfd.
static inline int lt_child_reap(int process, int pidfd, int *value) {
  idtype_t type = pidfd < 0 ? P_PID : LT_PIDFD;
  int child = pidfd < 0 ? process : pidfd;
  siginfo_t info;
  // Looks first: the descriptor may have become the pidfd of another child, and a stop
  // belongs to the code that traces the child.
  int result = lt_child_wait(type, child, WNOWAIT, &info);
  if (result == 0 && !lt_child_has_ended(&info)) return 0;
  if (result == 0 && info.si_pid != process) return 4;
  if (result == 0) result = lt_child_wait(type, child, 0, &info);
  if (result < 0) return result == -ECHILD ? 3 : 4;
  *value = info.si_status;
  return info.si_code == CLD_EXITED ? 1 : 2;
}

// MARK: Memory pressure

// Opens a pressure file of the kernel and registers `trigger` with it, such as
// "some 200000 2000000". Returns a descriptor, or a negated errno.
static inline int lt_pressure_open(const char *file, const char *trigger) {
  int descriptor = open(file, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  // The kernel expects the final zero, too.
  if (write(descriptor, trigger, strlen(trigger) + 1) >= 0) return descriptor;
  int failure = -errno;
  close(descriptor);
  return failure;
}

// MARK: Precise timer

// Creates a timerfd on the clock of `uv_hrtime`. Returns a negated errno on
// failure.
static inline int lt_timerfd_open(void) {
#if defined(__linux__)
  int descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  return descriptor >= 0 ? descriptor : -errno;
#else
  return UV_ENOSYS;
#endif
}

// Arms the timerfd at the absolute time `deadline`, and then at every
// `interval`, both in ns. An `interval` of 0 fires once. A `deadline` of 0
// disarms the timer.
static inline int lt_timerfd_arm(int descriptor, uint64_t deadline, uint64_t interval) {
#if defined(__linux__)
  struct itimerspec spec;
  spec.it_value.tv_sec = (time_t)(deadline / 1000000000u);
  spec.it_value.tv_nsec = (long)(deadline % 1000000000u);
  spec.it_interval.tv_sec = (time_t)(interval / 1000000000u);
  spec.it_interval.tv_nsec = (long)(interval % 1000000000u);
  return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &spec, NULL) == 0 ? 0 : -errno;
#else
  (void)descriptor;
  (void)deadline;
  (void)interval;
  return UV_ENOSYS;
#endif
}

// MARK: Thread-local addresses

// Creates a key whose value is passed to `release` when its thread ends. Returns
// 0, or an errno.
static inline int lt_key_create(uv_key_t *key, void (*release)(void *)) {
  return pthread_key_create(key, release);
}

// Returns the calling thread's value. Inlined, unlike `uv_key_get`.
static inline void *lt_key_get(const uv_key_t *key) { return pthread_getspecific(*key); }

// MARK: Memory

// Returns zeroed memory, or NULL. A page takes no memory before its first write.
static inline void *lt_allocate_zeroed(size_t size) { return calloc(1, size); }

static inline void lt_free_zeroed(void *memory) { free(memory); }

// Returns whole pages to the system. On Linux they are zero when next read. Nothing
// depends on success.
static inline void lt_discard(void *memory, size_t size) {
#if defined(__linux__)
  madvise(memory, size, MADV_DONTNEED);
#else
  (void)memory, (void)size;
#endif
}

// MARK: Standard error

// Writes `text` to standard error. Stops at the first error other than EINTR.
static inline void lt_write_to_stderr(const char *text, size_t length) {
  while (length > 0) {
    ssize_t written = write(2, text, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text += written;
    length -= (size_t)written;
  }
}

#endif
