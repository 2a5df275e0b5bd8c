#pragma once

// The watcher's side of the memory in lw_records.h, and breakpoints that find waits in
// other programs.

#include <stdbool.h>
#include <stdint.h>

struct lw_records;

// A copy of a struct lw_wait.
struct lw_wait_copy {
  uint64_t began;
  uint64_t ended;
  int32_t descriptor;
  int32_t timeout;
  int32_t events;
  uint32_t site;
  uint32_t stack;
};

typedef enum {
  lw_ended,    // `copy` is a wait that has ended.
  lw_waiting,  // `copy` is a wait that has not ended.
  lw_none,     // The thread has not begun this wait.
} lw_read;

extern const char *const LW_VARIABLE_NAME;

// Makes the memory, in a file without a name. Returns a negative errno on failure.
int lw_records_make(int *file, struct lw_records **records);
void lw_records_free(struct lw_records *records, int file);

// The number of entries that have been used.
int32_t lw_records_count(struct lw_records *records);
// The thread and the process of an entry; 0 or less if it is free.
int32_t lw_thread_number(struct lw_records *records, int32_t entry);
int32_t lw_thread_process(struct lw_records *records, int32_t entry);

// Copies the wait with the number `*number`, or the oldest that is left if it was
// overwritten, or the current one for UINT64_MAX; `*number` receives its number.
lw_read lw_read_wait(
  struct lw_records *records, int32_t entry, uint64_t *number, struct lw_wait_copy *copy);

// A hardware breakpoint at a system call of one thread of another process. It is kept in
// a debug register, so the program's code does not change. Not thread-safe.
typedef struct lw_probe lw_probe;

// After as many hits the kernel removes the breakpoint. A hit costs the thread about
// 10 us, and a busy loop can wait 100,000 times per second.
enum { LW_PROBE_HITS = 4 };

struct lw_probe_hit {
  uint64_t time;       // Of CLOCK_MONOTONIC, in ns.
  long call;           // The number of the system call that begins.
  int32_t descriptor;  // Its first argument.
};

// Sets a breakpoint at the system call that returns to `address`. Returns 0 or a negative
// errno: -EACCES or -EPERM without the permission, -ENOSPC if other debuggers use all
// registers, -ENOSYS on other processors.
int lw_probe_open(int thread, uint64_t address, lw_probe **probe);
void lw_probe_close(lw_probe *probe);

// Takes the oldest hit. Returns false if there is none.
bool lw_probe_next(lw_probe *probe, struct lw_probe_hit *hit);
