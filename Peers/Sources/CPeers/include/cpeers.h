#ifndef CPEERS_H
#define CPEERS_H

#include <stdint.h>
#include <time.h>

// Tables of C functions for peers in C++.

#if defined(__cplusplus)
extern "C" {
#endif

// Returns the time in ns, on the clock of loopbench.
static inline uint64_t cp_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

typedef void (*_Nonnull cp_function)(void *_Nullable context);

// A loop that runs functions one after the other.
typedef struct {
  // Returns NULL on failure. The thread that opens a loop runs and closes it.
  void *_Nullable (*_Nonnull open)(void);
  // Posts a closure that calls `function`. Call from any thread.
  void (*_Nonnull post)(void *_Nonnull loop, cp_function function, void *_Nullable context);
  // Posts `count` such closures, in a loop of C++.
  void (*_Nonnull post_many)(void *_Nonnull loop, uint32_t count, cp_function function,
                             void *_Nullable context);
  // Runs closures on the calling thread until `stop` is called.
  void (*_Nonnull run)(void *_Nonnull loop);
  // Makes `run` return. Call from any thread.
  void (*_Nonnull stop)(void *_Nonnull loop);
  void (*_Nonnull close)(void *_Nonnull loop);
} cp_loop;

extern const cp_loop cp_asio;
extern const cp_loop cp_libevent;
extern const cp_loop cp_libev;
extern const cp_loop cp_glib;
extern const cp_loop cp_uv_stack;

// A table of the library in Rust; NULL if it is not beside the program.
const cp_loop *_Nullable cp_rust_loop(const char *_Nonnull name);

// Ticks of a loop without work, which an idle callback keeps from blocking.
typedef struct {
  void *_Nullable (*_Nonnull open)(void);
  // Runs `count` ticks and returns the time in ns that they took.
  uint64_t (*_Nonnull ticks)(void *_Nonnull loop, uint32_t count);
  // The number of ticks so far.
  uint64_t (*_Nonnull ticked)(const void *_Nonnull loop);
  void (*_Nonnull close)(void *_Nonnull loop);
} cp_idle;

extern const cp_idle cp_libevent_idle;
extern const cp_idle cp_libev_idle;
extern const cp_idle cp_glib_idle;

// Pending pairs of a target and a selector in a set, which is swapped out and
// performed. There is no loop.
typedef struct {
  void *_Nullable (*_Nonnull open)(uint32_t targets);
  // Returns the time in ns of `repeats` commits of every target while all targets
  // are pending.
  uint64_t (*_Nonnull duplicates)(void *_Nonnull set, uint32_t repeats);
  // Returns the time in ns of one commit of every target and of performing them.
  uint64_t (*_Nonnull first)(void *_Nonnull set);
  // The number of actions performed so far.
  uint64_t (*_Nonnull performed)(const void *_Nonnull set);
  void (*_Nonnull close)(void *_Nonnull set);
} cp_set;

extern const cp_set cp_unordered_set;
extern const cp_set cp_flat_hash_set;

// A pool that runs functions on `threads` threads.
typedef struct {
  void *_Nullable (*_Nonnull open)(uint32_t threads);
  // Adds a function. An `urgency` of 0 is normal. Call from any thread.
  void (*_Nonnull add)(void *_Nonnull pool, cp_function function, void *_Nullable context,
                       int urgency);
  // Calls a function `count` times, on the calling thread and the pool's, and
  // returns when all calls have returned. NULL if the pool cannot.
  void (*_Nullable apply)(void *_Nonnull pool, uint32_t count, cp_function function,
                          void *_Nullable context);
  // Waits until every function has returned. Call on the thread that opened the
  // pool.
  void (*_Nonnull close)(void *_Nonnull pool);
} cp_pool;

extern const cp_pool cp_tbb;
// The same pool, whose `apply` adds a task for each call.
extern const cp_pool cp_tbb_group;
extern const cp_pool cp_asio_pool;
const cp_pool *_Nullable cp_rust_pool(const char *_Nonnull name);

// Fires `count` times, at `first`, `first + interval`, …. Writes the lateness of
// each fire in ns, negative if early. Returns the number of fires.
int cp_asio_timer_run(uint64_t first, uint64_t interval, int64_t *_Nonnull lateness,
                      uint32_t count);

// Timers that stay pending, and one that is armed and cancelled.
typedef struct {
  // Arms a timer for each delay, in ms. Returns NULL on failure.
  void *_Nullable (*_Nonnull open)(const uint64_t *_Nonnull delays, uint32_t count);
  // Arms and cancels a timer `pairs` times, with the first delays, then runs a tick.
  // Returns the time in ns.
  uint64_t (*_Nonnull cycle)(void *_Nonnull timers, uint32_t pairs);
  // The numbers of timers that were armed and cancelled, and that fired.
  uint64_t (*_Nonnull cancelled)(const void *_Nonnull timers);
  uint64_t (*_Nonnull fired)(const void *_Nonnull timers);
  void (*_Nonnull close)(void *_Nonnull timers);
} cp_timers;

extern const cp_timers cp_asio_timers;
extern const cp_timers cp_libevent_timers;
extern const cp_timers cp_libev_timers;
extern const cp_timers cp_glib_timers;

#if defined(__cplusplus)
}
#endif

#endif
