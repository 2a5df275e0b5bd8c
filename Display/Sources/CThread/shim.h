// How the system shares processors between a loop and its workers: Linux' call for it
// has no function in the C library.
#ifndef CTHREAD_SHIM_H
#define CTHREAD_SHIM_H

#include <stdint.h>

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// struct sched_attr, as far as it has been since Linux 3.14.
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

// Asks for turns of so many nanoseconds for this thread, which come the sooner the
// shorter they are (Linux 6.12; before, nothing changes). Whether that was taken.
static inline int ct_short_turns(uint64_t nanoseconds) {
  struct ct_sched_attr attr = {0};
  if (syscall(SYS_sched_getattr, 0, &attr, sizeof attr, 0) != 0) return 0;
  attr.size = sizeof attr;
  attr.runtime = nanoseconds;
  return syscall(SYS_sched_setattr, 0, &attr, 0) == 0;
}

// Has this thread be so much nicer than others; an id of 0 is the thread's, not the
// process's, on Linux.
static inline void ct_give_way(int nice) { (void)setpriority(PRIO_PROCESS, 0, nice); }
#else
static inline int ct_short_turns(uint64_t nanoseconds) {
  (void)nanoseconds;
  return 0;
}
static inline void ct_give_way(int nice) { (void)nice; }
#endif

#endif
