#ifndef CL_LIBRARY_H
#define CL_LIBRARY_H

#include <stdint.h>

// Tables of functions. A library that is loaded on demand fills them in.

// A queue that runs functions one after the other.
typedef struct {
  // Call on the thread that runs the queue. Returns NULL on failure.
  void *_Nullable (*_Nonnull open)(void);
  // Posts a function. Call from any thread.
  void (*_Nonnull post)(void *_Nonnull queue, void (*_Nonnull function)(void *_Nullable),
                        void *_Nullable context);
  // Runs functions on the calling thread until `stop` is called.
  void (*_Nonnull run)(void *_Nonnull queue);
  // Makes `run` return. Call from any thread.
  void (*_Nonnull stop)(void *_Nonnull queue);
  // Closes the queue. Call on the thread that opened the queue, after the last
  // function was posted.
  void (*_Nonnull close)(void *_Nonnull queue);
} cl_queue_functions;

// A pool that runs functions on several threads.
typedef struct {
  // Opens a pool that runs at most `width` functions at once. Its threads call
  // `cl_thread_place(cpu)`. Returns NULL on failure.
  void *_Nullable (*_Nonnull open)(int width, int cpu);
  // Adds a function. An `urgency` of 0 is normal; larger values are more urgent.
  // Call from any thread.
  void (*_Nonnull add)(void *_Nonnull pool, void (*_Nonnull function)(void *_Nullable),
                       void *_Nullable context, int urgency);
  // Adds `count` operations and cancels them before they run. Returns the time in
  // ns that the cancellations took. Call on the thread that opened the pool.
  uint64_t (*_Nonnull cancel)(void *_Nonnull pool, uint32_t count);
  // Waits until every function has run. Call on the thread that opened the pool.
  void (*_Nonnull close)(void *_Nonnull pool);
} cl_pool_functions;

#endif
