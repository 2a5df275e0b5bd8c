#pragma once

// Stacks of threads of another process, captured by ptrace and unwound by libdw.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The stacks of one process. Not thread-safe.
typedef struct lw_stacks lw_stacks;

// One frame, innermost first. The strings live until the next capture.
struct lw_frame {
  uint64_t address;    // The program counter, minus 1 in callers.
  const char *symbol;  // As in the symbol table, or NULL.
  const char *module;  // The path of the mapped file, or NULL for generated code.
};

// How a capture ended.
typedef enum {
  lw_captured,
  lw_no_thread,     // The thread has ended, or the process.
  lw_refused,       // ptrace was refused; errno says why.
  lw_is_waiting,    // The thread waited in its loop's wait, so it was not stopped.
  lw_unreadable,    // The stack could not be unwound.
} lw_outcome;

// Returns NULL if libdw cannot be loaded, or does not know the process; the
// message then says why and what to do.
lw_stacks *lw_stacks_open(int pid, char *message, size_t capacity);
void lw_stacks_close(lw_stacks *stacks);

// Captures the stack of thread `tid`. Stops the thread only while its registers
// and the top of its stack are copied. `nanoseconds` receives the length of the
// stop. `is_waiting` is asked just before the stop, and again while the thread is
// stopped: if it returns true, the thread is released and lw_is_waiting returned.
lw_outcome lw_stacks_capture(
  lw_stacks *stacks, int tid, bool (*is_waiting)(void *), void *context,
  struct lw_frame *frames, size_t capacity, size_t *count, uint64_t *nanoseconds);
