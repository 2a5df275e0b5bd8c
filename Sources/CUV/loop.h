// Initializes libuv's loops without the process aborting, or losing a descriptor, if the
// system refuses a resource.
#ifndef LT_CUV_LOOP_H
#define LT_CUV_LOOP_H

#include "files.h"
#include "shim.h"

enum {
  // The descriptors of a process's first loop: its poll, a pipe and an eventfd of libuv, a
  // pipe that libuv's loops share, and the loop's wake descriptor.
  LT_LOOP_DESCRIPTORS = 7,
};

// Whether libuv has made the process's first loop.
__attribute__((weak, visibility("hidden"))) int lt_loops_are_made = 0;
// The number of the process in which a thread makes the first loop, or 0. A forked child
// does not wait for a thread of its parent.
__attribute__((weak, visibility("hidden"))) int lt_loops_maker = 0;

// Returns 0 if that many descriptors are free, or a negated errno. Opens pipes for those
// that will be pipes, because the system limits their memory too. Standard input must be
// open.
static inline int lt_loop_probe(void) {
  int opened[LT_LOOP_DESCRIPTORS];
  int count = 0;
  while (count < 4 && lt_pipe_open(&opened[count]) == 0) count += 2;
  while (count >= 4 && count < LT_LOOP_DESCRIPTORS &&
         (opened[count] = fcntl(0, F_DUPFD_CLOEXEC, 3)) >= 0)
    count++;
  int result = count < LT_LOOP_DESCRIPTORS ? -errno : 0;
  while (count > 0) close(opened[--count]);
  return result;
}

static inline int lt_loop_init_here(uv_loop_t *loop) {
  int result = uv_loop_init(loop);
  // libuv 1.44 leaves its poll open. Later versions set the field to -1. It is 0 if libuv
  // did not get that far.
  if (result != 0 && loop->backend_fd > 2) close(loop->backend_fd);
  return result;
}

// Like uv_loop_init. libuv aborts if it cannot open the pipe that all loops share, which
// it does for the first one. So a first loop is only made if its descriptors are free.
static inline int lt_loop_init(uv_loop_t *loop) {
  int result = lt_fill_standard_streams();
  if (result != 0) return result;
  // Acquire: pairs with the release below, so that libuv's shared state is complete.
  if (__atomic_load_n(&lt_loops_are_made, __ATOMIC_ACQUIRE)) return lt_loop_init_here(loop);
  int self = (int)getpid();
  for (int maker = 0; !__atomic_compare_exchange_n(&lt_loops_maker, &maker, self, 0,
                                                   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);) {
    // One at a time, because two first loops need more descriptors than were counted.
    if (maker == self) maker = 0;
    lt_yield();
  }
  if (!__atomic_load_n(&lt_loops_are_made, __ATOMIC_RELAXED))
    result = lt_loop_probe();
  if (result == 0) result = lt_loop_init_here(loop);
  if (result == 0) __atomic_store_n(&lt_loops_are_made, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&lt_loops_maker, 0, __ATOMIC_RELEASE);
  return result;
}

#endif
