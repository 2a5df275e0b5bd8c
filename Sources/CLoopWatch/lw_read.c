#define _GNU_SOURCE
#include "lw_read.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lw_records.h"

const char *const LW_VARIABLE_NAME = LW_VARIABLE;

int lw_records_make(int *file, struct lw_records **records) {
  *file = memfd_create("loopbench-waits", MFD_CLOEXEC);
  if (*file < 0) return -errno;
  void *memory = MAP_FAILED;
  if (ftruncate(*file, sizeof(struct lw_records)) == 0)
    memory =
      mmap(NULL, sizeof(struct lw_records), PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
  if (memory == MAP_FAILED) {
    int error = errno;
    close(*file);
    return -error;
  }
  *records = memory;
  atomic_store_explicit(&(*records)->version, LW_VERSION, memory_order_release);
  return 0;
}

void lw_records_free(struct lw_records *records, int file) {
  munmap(records, sizeof(struct lw_records));
  close(file);
}

int32_t lw_records_count(struct lw_records *records) {
  int32_t count = atomic_load_explicit(&records->count, memory_order_acquire);
  // The program can write anything here.
  return count < 0 ? 0 : count < LW_THREADS ? count : LW_THREADS;
}

int32_t lw_thread_number(struct lw_records *records, int32_t entry) {
  // Acquire: pairs with the thread that took the entry.
  return atomic_load_explicit(&records->threads[entry].thread, memory_order_acquire);
}

int32_t lw_thread_process(struct lw_records *records, int32_t entry) {
  return atomic_load_explicit(&records->threads[entry].process, memory_order_relaxed);
}

// True if the slot of wait `number` may hold a newer wait.
static bool is_overwritten(uint64_t number, uint64_t sequence) {
  return number + LW_WAITS <= (sequence + 1) / 2;
}

lw_read lw_read_wait(
  struct lw_records *records, int32_t entry, uint64_t *number, struct lw_wait_copy *copy) {
  struct lw_thread *thread = &records->threads[entry];
  for (;;) {
    // Acquire: pairs with the release in the program, so that the fields are complete.
    uint64_t sequence = atomic_load_explicit(&thread->sequence, memory_order_acquire);
    if (*number == UINT64_MAX) *number = sequence / 2;
    if (*number > sequence / 2 || (*number == sequence / 2 && sequence % 2 == 0)) return lw_none;
    if (is_overwritten(*number, sequence)) *number = (sequence + 1) / 2 - LW_WAITS + 1;
    struct lw_wait *wait = &thread->waits[*number % LW_WAITS];
    copy->began = atomic_load_explicit(&wait->began, memory_order_relaxed);
    copy->ended = atomic_load_explicit(&wait->ended, memory_order_relaxed);
    copy->descriptor = atomic_load_explicit(&wait->descriptor, memory_order_relaxed);
    copy->timeout = atomic_load_explicit(&wait->timeout, memory_order_relaxed);
    copy->events = atomic_load_explicit(&wait->events, memory_order_relaxed);
    copy->site = atomic_load_explicit(&wait->site, memory_order_relaxed);
    copy->stack = atomic_load_explicit(&wait->stack, memory_order_relaxed);
    // Acquire fence: the second reading of the sequence follows the copies.
    atomic_thread_fence(memory_order_acquire);
    uint64_t after = atomic_load_explicit(&thread->sequence, memory_order_relaxed);
    if (is_overwritten(*number, after)) continue;
    return *number < sequence / 2 ? lw_ended : lw_waiting;
  }
}
