#ifndef CL_FLOOR_H
#define CL_FLOOR_H

#include <stdint.h>

#include "cl_measure.h"

// The floor that queues are compared with: a mutex, a condition and a linked list.
// Each item is a node from malloc. Appending to an empty list signals the
// condition.
typedef struct cl_cond cl_cond;

cl_cond *_Nullable cl_cond_open(void);

// Appends one item. Call from any thread.
void cl_cond_post(cl_cond *_Nonnull peer, void (*_Nonnull function)(void *_Nullable),
                  void *_Nullable context);

// Runs items on the calling thread until `cl_cond_stop`. Items posted before
// the stop are run first.
void cl_cond_run(cl_cond *_Nonnull peer);

// Makes `cl_cond_run` return. Call from any thread.
void cl_cond_stop(cl_cond *_Nonnull peer);

// Closes the queue. Call after `cl_cond_run` has returned, when no items are left.
void cl_cond_close(cl_cond *_Nonnull peer);

// The floor for loops that sleep in epoll: an eventfd, and a thread that calls
// epoll_wait and read. On systems other than Linux, `open` is NULL.
extern const cl_wake_functions cl_eventfd_wake;

// A timerfd with an epoll descriptor that waits for it, for peers with a heap of timers.
typedef struct cl_timerfd cl_timerfd;

// Returns NULL on failure, and on systems other than Linux.
cl_timerfd *_Nullable cl_timerfd_open(void);

// Sets the timerfd to `deadline`, on the clock of `cl_now`, unless it is 0. Then polls
// without waiting.
void cl_timerfd_poll(cl_timerfd *_Nonnull timer, uint64_t deadline);

void cl_timerfd_close(cl_timerfd *_Nonnull timer);

// `drain` with the table and the locks of a `RunLoopQueue`, by hand in C on libuv: objects of
// Swift that are retained while they are queued, a hash table of their addresses, and
// a mutex for each addition and each delivery. A contender spins before it blocks. The floor for
// queues whose objects have no flag and no link of the queue's own.
typedef struct cl_hand_drain cl_hand_drain;

// Opens a queue for up to `objects` objects. Each tick of its loop delivers up to
// `batch` of them to `handler`. Its loop, to run and to stop, is the returned pointer.
// Between two bursts, the queue must be empty. Returns NULL on failure.
cl_hand_drain *_Nullable cl_hand_drain_open(uint32_t objects, uint32_t batch,
                                            void (*_Nonnull handler)(void *_Nonnull object,
                                                                     void *_Nullable context),
                                            void *_Nullable context);

// Adds an object of Swift, unless it is already queued. Call on the loop's thread, while
// the loop does not run. Until the queue is empty again, add at most `objects` objects.
void cl_hand_drain_add(cl_hand_drain *_Nonnull peer, void *_Nonnull object);

// The same from any thread, while the loop may run. Wakes the loop if the queue was empty.
void cl_hand_drain_send(cl_hand_drain *_Nonnull peer, void *_Nonnull object);

// Closes the loop, releases the queued objects, and frees the queue.
void cl_hand_drain_close(cl_hand_drain *_Nonnull peer);

// `idle` with the checks of a loop that has nothing to do, by hand in C on libuv: a prepare
// callback counts the tick and looks for posts of both kinds and for callbacks, and a
// check callback looks for callbacks. The floor for runtimes on libuv's loop. Returns a loop to
// run, to stop and to close, or NULL on failure.
void *_Nullable cl_hand_idle_open(void);

// `priority` by hand in C: a list for each of three priorities and one by age, a mutex and a
// condition. After 8 × `workers` − 1 other calls, the oldest call is made.
enum { CL_HAND_LEVELS = 3 };
typedef struct cl_hand_pool cl_hand_pool;

// `workers` is the number of threads that will call `run`. Returns NULL on failure.
cl_hand_pool *_Nullable cl_hand_pool_open(uint32_t workers);

// Adds a call at `level`, 0 to 2. Level 0 is the most urgent one. Call from any thread.
void cl_hand_pool_add(cl_hand_pool *_Nonnull pool, int level,
                      void (*_Nonnull function)(void *_Nullable), void *_Nullable context);

// Makes calls, the most urgent first, or the oldest one when its turn has come, until there are
// none after `cl_hand_pool_end`. Each worker calls it.
void cl_hand_pool_run(cl_hand_pool *_Nonnull pool);

// Ends the workers. Call after the last addition.
void cl_hand_pool_end(cl_hand_pool *_Nonnull pool);

// Frees the pool. Call after all workers have returned.
void cl_hand_pool_close(cl_hand_pool *_Nonnull pool);

// `io` with epoll_wait, read and write: the floor for loops that sleep in epoll.
// Serves all descriptors of `io` until their ends. Returns 0 if there is no
// descriptor or no epoll.
int cl_epoll_io_serve(cl_io *_Nonnull io);

#endif
