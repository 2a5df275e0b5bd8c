#pragma once

// The memory that a watched program and its watcher share. Each thread that waits
// for events records its waits in a ring of its own, and only that thread writes
// to it. The watcher reads, and never writes.

#include <stdatomic.h>
#include <stdint.h>

// Changes with the layout.
#define LW_VERSION 0x6c6f6f7077740002u
// Threads beyond this are not recorded.
#define LW_THREADS 256
// The waits of a ring, a power of two. A watcher that looks every 5 ms sees all
// waits of a thread that waits up to 800,000 times a second.
#define LW_WAITS 4096

// The name of the environment variable with the path of the memory.
#define LW_VARIABLE "LOOPBENCH_WAITS"

// One wait for events. Times are of CLOCK_MONOTONIC, in nanoseconds.
struct lw_wait {
  _Atomic uint64_t began;
  _Atomic uint64_t ended;
  // The epoll descriptor, or -1 for poll() and select().
  _Atomic int32_t descriptor;
  // In milliseconds, rounded up, or -1 for none.
  _Atomic int32_t timeout;
  // The number of events, or minus an error.
  _Atomic int32_t events;
  // The lower bits of the address that the wait returns to.
  _Atomic uint32_t site;
  // The address of the caller's stack, divided by 16, lower bits.
  _Atomic uint32_t stack;
};

struct lw_thread {
  // 0 while the entry is free, -1 while it is prepared.
  _Atomic int32_t thread;
  _Atomic int32_t process;
  // Twice the number of waits that have ended, and 1 more during a wait. The wait
  // with number N is in waits[N % LW_WAITS].
  _Atomic uint64_t sequence;
  struct lw_wait waits[LW_WAITS];
};

struct lw_records {
  _Atomic uint64_t version;
  // The number of entries that have been used.
  _Atomic int32_t count;
  struct lw_thread threads[LW_THREADS];
};
