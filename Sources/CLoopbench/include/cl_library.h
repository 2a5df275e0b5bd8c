#ifndef CL_LIBRARY_H
#define CL_LIBRARY_H

#include <stdint.h>

// What a library that is loaded on demand brings: something that runs functions
// one after the other. The library exports a function that returns one.
typedef struct {
  // On the thread that runs it. NULL when it could not be made.
  void *_Nullable (*_Nonnull open)(void);
  // Hands one function over. Any thread.
  void (*_Nonnull post)(void *_Nonnull queue, void (*_Nonnull function)(void *_Nullable),
                        void *_Nullable context);
  // Runs functions on the calling thread until `stop`.
  void (*_Nonnull run)(void *_Nonnull queue);
  // Ends `run`. Any thread.
  void (*_Nonnull stop)(void *_Nonnull queue);
  // On the thread that opened it, when nothing is posted any more.
  void (*_Nonnull close)(void *_Nonnull queue);
} cl_queue_functions;

// The same for something that runs functions on several threads.
typedef struct {
  // At most `width` functions run at once, on `cpu` as `cl_thread_place` takes it. NULL
  // when it could not be made.
  void *_Nullable (*_Nonnull open)(int width, int cpu);
  // Hands one function over, less urgent (below 0), as urgent (0) or more urgent
  // (above 0) than others. Any thread.
  void (*_Nonnull add)(void *_Nonnull pool, void (*_Nonnull function)(void *_Nullable),
                       void *_Nullable context, int urgency);
  // ns to cancel `count` operations that wait. On the thread that opened it.
  uint64_t (*_Nonnull cancel)(void *_Nonnull pool, uint32_t count);
  // On the thread that opened it; returns when every function has run.
  void (*_Nonnull close)(void *_Nonnull pool);
} cl_pool_functions;

#endif
