// Counts the forks that led to this process.
#ifndef LT_CUV_FORKS_H
#define LT_CUV_FORKS_H

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

// The state of the process that hot paths compare with one load: the number of
// forks that led to it, from 1, in the low 32 bits, and the number of the running
// trace, or 0, in the high 32 bits. Not a Swift global, because under
// ThreadSanitizer Swift's runtime takes a lock at each access to a global. A child
// forked during such an access would wait for a thread that does not exist in the
// child. All accesses are relaxed: they order no other memory.
//
// On pages of its own, which the kernel fills with zeros in a child. So a child that
// was made without pthread_atfork handlers, by `_Fork` or `clone`, differs too.
#if defined(__x86_64__)
enum { LT_PAGES = 4096 };
#else
enum { LT_PAGES = 65536 };
#endif
typedef struct {
  uint64_t word;
  char rest[LT_PAGES - sizeof(uint64_t)];
} lt_process_pages;
__attribute__((weak, visibility("hidden"), aligned(LT_PAGES))) lt_process_pages lt_process = {0};
__attribute__((weak, visibility("hidden"))) uint32_t lt_fork_count = 0;
__attribute__((weak, visibility("hidden"))) pthread_once_t lt_forks_once = PTHREAD_ONCE_INIT;
// Called in a child that no pthread_atfork handler has seen.
__attribute__((weak, visibility("hidden"))) void (*lt_on_unseen_fork)(void) = NULL;

static inline uint64_t lt_process_word(void) {
  return __atomic_load_n(&lt_process.word, __ATOMIC_RELAXED);
}

// Only the thread that survived the fork runs this, before the child has any
// other thread. The trace stays with the parent.
static inline void lt_forked(void) {
  lt_fork_count += 1;
  __atomic_store_n(&lt_process.word, lt_fork_count, __ATOMIC_RELAXED);
}

// Sets the number of the running trace, or 0. Calls must not overlap.
static inline void lt_set_trace(uint32_t number) {
  uint64_t forks = (uint32_t)lt_process_word();
  __atomic_store_n(&lt_process.word, forks | (uint64_t)number << 32, __ATOMIC_RELAXED);
}

static inline void lt_start_counting_forks(void) {
  pthread_atfork(NULL, NULL, lt_forked);
  lt_forked();
#if defined(__linux__)
  // Linux 4.14. Without it, only pthread_atfork tells.
  madvise(&lt_process, sizeof lt_process, 18 /* MADV_WIPEONFORK */);
#endif
}

// Starts counting forks. glibc resets a pthread_once that was running during a
// fork. In a child, counts the fork that made it if that was not seen.
static inline void lt_count_forks(void) {
  pthread_once(&lt_forks_once, lt_start_counting_forks);
  uint64_t none = 0;
  if (lt_process_word() != none) return;
  uint64_t number = __atomic_add_fetch(&lt_fork_count, 1, __ATOMIC_RELAXED);
  if (__atomic_compare_exchange_n(&lt_process.word, &none, number, 0, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED) &&
      lt_on_unseen_fork != NULL)
    lt_on_unseen_fork();
}

#endif
