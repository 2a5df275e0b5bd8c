// The table of the threads that run work, which a signal handler, a watchdog or
// another process reads.
#ifndef LT_CUV_WORK_SLOT_H
#define LT_CUV_WORK_SLOT_H

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

// One thread. One cache line, so that threads do not share one. Only the thread
// that claimed a slot writes to it. The fields that tell times are relaxed: a
// reader may see values of different moments, and reads `hold` again to notice.
typedef struct {
  // The thread's number, or 0 if the slot is free.
  uint32_t thread;
  // 1 for a loop's thread, 2 for a worker, 3 for a loop with a virtual clock.
  uint32_t kind;
  // The code that runs, 0 while the thread waits for work. 4 bits of kind, 12
  // bits of line, and the address of a C string that is never freed. If the line
  // is 0, the string is the whole name. Otherwise it is a file, and the name is
  // `file:line`.
  uint64_t work;
  // When that code began, in units of `lt_cycles`.
  uint64_t began;
  // When the tick or the operation began, in units of `lt_cycles`. 0 while the
  // thread waits for work.
  uint64_t since;
  // The number of ticks or operations begun.
  uint64_t hold;
  // When the last tick or operation ended, in units of `lt_cycles`.
  uint64_t ended;
  // The name of the loop or the scheduler, cut off, with a final 0.
  char name[16];
} lt_work_slot;

enum { LT_WORK_SLOTS = 256 };

// The number is the version of the layout: of `lt_work_slot`, of its word `work`, and
// of the kinds in `Work.Kind`. Readers in other processes know it, such as
// `loopbench watch`. Change it when one of these changes.
#define LT_WORK_SLOTS_NAME "looptransactions-1"

// Maps a table of free slots. Returns NULL if the system refuses. On Linux,
// another process finds it in /proc/PID/maps as `memfd:looptransactions-1`.
// Private, so that a forked child does not change its parent's table.
static inline lt_work_slot *lt_work_slots_map(void) {
  size_t size = LT_WORK_SLOTS * sizeof(lt_work_slot);
  int flags = MAP_PRIVATE;
  int descriptor = -1;
#if defined(__linux__)
  descriptor = (int)syscall(SYS_memfd_create, LT_WORK_SLOTS_NAME, 1u /* MFD_CLOEXEC */);
  if (descriptor >= 0 && ftruncate(descriptor, (off_t)size) != 0) {
    close(descriptor);
    descriptor = -1;
  }
#endif
  if (descriptor < 0) flags |= MAP_ANONYMOUS;
  void *table = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, descriptor, 0);
  if (descriptor >= 0) close(descriptor);
  return table == MAP_FAILED ? NULL : (lt_work_slot *)table;
}

// The number of the calling thread, as the kernel knows it.
static inline uint32_t lt_thread_number(void) {
#if defined(__linux__)
  return (uint32_t)syscall(SYS_gettid);
#elif defined(__APPLE__)
  uint64_t number = 0;
  pthread_threadid_np(NULL, &number);
  return (uint32_t)number;
#else
  return 1;
#endif
}

// Claims a free slot for thread number `thread`. Returns NULL if all are taken.
static inline lt_work_slot *lt_work_slot_claim(lt_work_slot *table, uint32_t thread,
                                               uint32_t kind, const char *name) {
  if (table == NULL) return NULL;
  for (int i = 0; i < LT_WORK_SLOTS; i++) {
    uint32_t expected = 0;
    // Acquire and release: the next holder sees the slot as it was left.
    if (!__atomic_compare_exchange_n(&table[i].thread, &expected, thread, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
      continue;
    lt_work_slot *slot = &table[i];
    __atomic_store_n(&slot->kind, kind, __ATOMIC_RELAXED);
    size_t length = 0;
    for (; length + 1 < sizeof slot->name && name[length] != 0; length++)
      __atomic_store_n(&slot->name[length], name[length], __ATOMIC_RELAXED);
    __atomic_store_n(&slot->name[length], 0, __ATOMIC_RELAXED);
    return slot;
  }
  return NULL;
}

// Gives the slot to thread number `thread`. Relaxed: the caller orders the two
// threads' other accesses.
static inline void lt_work_slot_move(lt_work_slot *slot, uint32_t thread) {
  __atomic_store_n(&slot->thread, thread, __ATOMIC_RELAXED);
}

// Returns the slot of thread number `thread`, or NULL. Async-signal-safe.
static inline lt_work_slot *lt_work_slot_find(lt_work_slot *table, uint32_t thread) {
  for (int i = 0; table != NULL && i < LT_WORK_SLOTS; i++)
    if (__atomic_load_n(&table[i].thread, __ATOMIC_ACQUIRE) == thread) return &table[i];
  return NULL;
}

static inline void lt_work_slot_free(lt_work_slot *slot) {
  __atomic_store_n(&slot->work, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->since, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->thread, 0, __ATOMIC_RELEASE);
}

// Publishes that code named by `work` begins at `now`.
static inline void lt_work_slot_work(lt_work_slot *slot, uint64_t work, uint64_t now) {
  __atomic_store_n(&slot->began, now, __ATOMIC_RELAXED);
  // Release: a thread that reads the address sees the string.
  __atomic_store_n(&slot->work, work, __ATOMIC_RELEASE);
}

// Publishes that a tick or an operation begins at `now`, with code named by `work`.
static inline void lt_work_slot_begin(lt_work_slot *slot, uint64_t work, uint64_t now) {
  uint64_t hold = __atomic_load_n(&slot->hold, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->hold, hold + 1, __ATOMIC_RELAXED);
  // Release: a reader that sees a later store also sees the new number.
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_store_n(&slot->since, now, __ATOMIC_RELAXED);
  lt_work_slot_work(slot, work, now);
}

// Publishes that the thread waits for work since `now`.
static inline void lt_work_slot_end(lt_work_slot *slot, uint64_t now) {
  __atomic_store_n(&slot->ended, now, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->work, 0, __ATOMIC_RELAXED);
  // Release: a reader that sees 0 also sees the end.
  __atomic_store_n(&slot->since, 0, __ATOMIC_RELEASE);
}

// Returns the word that names the running code, or 0.
static inline uint64_t lt_work_slot_running(const lt_work_slot *slot) {
  // Acquire: pairs with the release in `lt_work_slot_work`.
  return __atomic_load_n(&slot->work, __ATOMIC_ACQUIRE);
}

// Copies the times of `slot` to `copy`. Returns 0 if a tick or operation began
// meanwhile, so that they may belong to two.
static inline int lt_work_slot_read(const lt_work_slot *slot, lt_work_slot *copy) {
  copy->hold = __atomic_load_n(&slot->hold, __ATOMIC_ACQUIRE);
  // Acquire: pairs with the release in `lt_work_slot_end`.
  copy->since = __atomic_load_n(&slot->since, __ATOMIC_ACQUIRE);
  copy->began = __atomic_load_n(&slot->began, __ATOMIC_RELAXED);
  copy->ended = __atomic_load_n(&slot->ended, __ATOMIC_RELAXED);
  copy->work = lt_work_slot_running(slot);
  copy->thread = __atomic_load_n(&slot->thread, __ATOMIC_RELAXED);
  // Acquire: pairs with the fence in `lt_work_slot_begin`, so the number is read last.
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return __atomic_load_n(&slot->hold, __ATOMIC_RELAXED) == copy->hold;
}

static inline uint32_t lt_work_slot_thread(const lt_work_slot *slot) {
  return __atomic_load_n(&slot->thread, __ATOMIC_ACQUIRE);
}

#endif
