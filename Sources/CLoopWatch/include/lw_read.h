#pragma once

// The watcher's side of the memory in lw_records.h.

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
