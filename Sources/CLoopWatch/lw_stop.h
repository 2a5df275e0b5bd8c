#pragma once

// Stops a thread of another process for as long as it takes to copy its registers
// and the top of its stack.

#include "include/lw_stacks.h"
#include "lw_machine.h"

#if LW_SUPPORTED

// The most bytes of a stack that are copied. The unwinder reads the rest from the
// running process.
enum { lw_stack_capacity = 256 * 1024 };

struct lw_stop {
  int pid;
  int tid;
  bool (*is_waiting)(void *);
  void *context;
  uint64_t waited;
  struct lw_range libc;

  // The results. `stack` holds `length` bytes from the address `base`.
  struct lw_registers registers;
  uint64_t base;
  size_t length;
  uint8_t *stack;
  uint64_t nanoseconds;
  int error;
};

lw_outcome lw_stop_thread(struct lw_stop *stop);

#endif
