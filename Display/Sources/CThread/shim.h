// Controls how the kernel shares processors between a loop and its workers. The
// C library has no function for Linux's system call.
#ifndef CTHREAD_SHIM_H
#define CTHREAD_SHIM_H

#include <stdint.h>

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// struct sched_attr as of Linux 3.14.
struct ct_sched_attr {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime;
  uint64_t deadline;
  uint64_t period;
};

// Requests a scheduler slice of `nanoseconds` for this thread. The kernel wakes
// a thread with a shorter slice sooner. Needs Linux 6.12; older kernels ignore
// the request. Returns 0 if the kernel refused.
static inline int ct_short_turns(uint64_t nanoseconds) {
  struct ct_sched_attr attr = {0};
  if (syscall(SYS_sched_getattr, 0, &attr, sizeof attr, 0) != 0) return 0;
  attr.size = sizeof attr;
  attr.runtime = nanoseconds;
  return syscall(SYS_sched_setattr, 0, &attr, 0) == 0;
}

// Sets the nice value of the calling thread. On Linux the id 0 means the
// calling thread, not the process.
static inline void ct_give_way(int nice) { (void)setpriority(PRIO_PROCESS, 0, nice); }
#else
static inline int ct_short_turns(uint64_t nanoseconds) {
  (void)nanoseconds;
  return 0;
}
static inline void ct_give_way(int nice) { (void)nice; }
#endif

#endif
