#pragma once

// Stacks of threads of another process, captured by ptrace and unwound by libdw.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The stacks of one process. Not thread-safe, but any thread may use it.
typedef struct lw_stacks lw_stacks;

// One frame, innermost first. The strings live until the next capture.
struct lw_frame {
  uint64_t address;    // The program counter, minus 1 in callers.
  const char *symbol;  // As in the symbol table, perhaps with "@VERSION", or NULL.
  const char *module;  // The path of the mapped file, or NULL for generated code.
};

// How a capture ended.
typedef enum {
  lw_captured,
  lw_no_thread,    // The thread has ended, or the process, or it called exec meanwhile.
  lw_refused,      // ptrace was refused; errno says why. See lw_refusal_message.
  lw_is_waiting,   // `is_waiting` returned true.
  lw_not_stopped,  // The thread sleeps in the kernel where nothing stops it (state D).
  lw_unreadable,   // The registers could not be read.
} lw_outcome;

// Reads the list of the process's modules, and the symbols of its code as frames need
// them. Returns NULL if libdw cannot be loaded, or if the process cannot be read. The
// message then says why and what to do.
lw_stacks *lw_stacks_open(int pid, char *message, size_t capacity);
void lw_stacks_close(lw_stacks *stacks);

// Captures the stack of thread `tid`.
//
// A thread that sleeps in a system call is not stopped, unless its stack has frames that
// need the values of more registers. Another thread is stopped while its registers and
// the top of its stack are copied. The stack is unwound when the thread runs again.
//
// A stop starts a thread that traces `tid`, and blocks until that thread has ended. It
// ends at once if the traced thread runs or sleeps. If the traced thread waits for a CPU,
// the call waits, too.
//
// `is_waiting` may be NULL. It is called before the stop, and again while the thread is
// stopped, then on the thread that traces. If it returns true, the capture ends with
// lw_is_waiting.
//
// `waited` is how long the thread's current system call has lasted, in ns, or 0 if
// that is not known. An `epoll_wait` that the stop interrupts starts again with its
// timeout shortened by this time.
//
// `nanoseconds` receives the length of the stop, or 0 if there was none.
//
// No other thread of the calling process may wait for the process meanwhile, because
// `waitpid` returns for a stop, too, and libuv takes that for an exit. Each stop sends
// SIGCHLD, on which `uv_spawn` waits. Wait for the process by a pidfd instead, and reap
// the process when the pidfd is readable.
lw_outcome lw_stacks_capture(
  lw_stacks *stacks, int tid, bool (*is_waiting)(void *), void *context, uint64_t waited,
  struct lw_frame *frames, size_t capacity, size_t *count, uint64_t *nanoseconds);

// Stops threads that sleep, too. For tests.
void lw_stacks_always_stop(lw_stacks *stacks);

// Writes why ptrace refused thread `tid` of process `pid` with `error`, and what to do.
void lw_refusal_message(int pid, int tid, int error, char *message, size_t capacity);
