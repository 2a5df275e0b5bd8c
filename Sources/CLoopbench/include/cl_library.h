#ifndef CL_LIBRARY_H
#define CL_LIBRARY_H

#include <stdint.h>

// Tables of functions that a library, loaded on demand, exports.

// A queue that runs functions one after the other.
typedef struct {
  // Call on the thread that runs the queue. Returns NULL on failure.
  void *_Nullable (*_Nonnull open)(void);
  // Posts a function. Any thread.
  void (*_Nonnull post)(void *_Nonnull queue, void (*_Nonnull function)(void *_Nullable),
                        void *_Nullable context);
  // Runs functions on the calling thread until `stop`.
  void (*_Nonnull run)(void *_Nonnull queue);
  // Makes `run` return. Any thread.
  void (*_Nonnull stop)(void *_Nonnull queue);
  // Call on the thread that opened the queue, after the last function was posted.
  void (*_Nonnull close)(void *_Nonnull queue);
} cl_queue_functions;

// A pool that runs functions on several threads.
typedef struct {
  // Runs at most `width` functions at once. `cpu` is an argument of
  // `cl_thread_place`. Returns NULL on failure.
  void *_Nullable (*_Nonnull open)(int width, int cpu);
  // Adds a function. An `urgency` of 0 is normal; larger values are more
  // urgent. Any thread.
  void (*_Nonnull add)(void *_Nonnull pool, void (*_Nonnull function)(void *_Nullable),
                       void *_Nullable context, int urgency);
  // Adds and cancels `count` waiting operations. Returns the ns that the
  // cancellations took. Call on the thread that opened the pool.
  uint64_t (*_Nonnull cancel)(void *_Nonnull pool, uint32_t count);
  // Waits until every function has run. Call on the thread that opened the pool.
  void (*_Nonnull close)(void *_Nonnull pool);
} cl_pool_functions;

#endif
