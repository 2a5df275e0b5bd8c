#ifndef CL_MEASURE_H
#define CL_MEASURE_H

#include <stdint.h>
#include <time.h>

// Returns the time in ns, on the same clock as `uv_hrtime`.
static inline uint64_t cl_now(void) {
#if defined(__APPLE__)
  return clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
#else
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
#endif
}

// The cycle counter, or the time where there is none.
static inline uint64_t cl_cycles(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t cycles;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(cycles));
  return cycles;
#else
  return cl_now();
#endif
}

// Prefetches the cache line at `address` for writing. The address need not be valid.
static inline void cl_prefetch(const void *_Nullable address) { __builtin_prefetch(address, 1); }

// Tells the CPU that the calling thread waits in a loop.
void cl_pause(void);

// Spins until `deadline`.
void cl_spin_until(uint64_t deadline);

// Sleeps until `deadline` or slightly longer.
void cl_sleep_until(uint64_t deadline);

// Sets the timer slack of the calling thread to 1 ns. The default on Linux is 50 us.
void cl_sleep_precisely(void);

// The delay in ms of a timer of `timer/pending`. The delays of `count` timers differ,
// and are in no order.
static inline uint64_t cl_pending_delay(uint32_t index, uint32_t count) {
  // 7919: a prime, which does not divide the numbers of timers.
  return 60000 + (uint64_t)index * 7919 % count;
}

// Does nothing, but prevents the optimizer from removing the object that `value`
// points to.
void cl_black_hole(const void *_Nonnull value);

// Counts the items of a sample that have run, and records when the last item ran.
// Loop thread only.
typedef struct {
  uint64_t ran;
  uint64_t target;
  uint64_t finished;             // in ns; 0 until the last item has run
  void (*_Nullable stop)(void *_Nullable);  // called by the last item
  void *_Nullable stop_context;
} cl_finish;

// Counts one item. `finish` is a `cl_finish *`. The parameter's type is `void *`,
// so that this function can be posted.
void cl_finish_step(void *_Nullable finish);

// Begins a sample of `target` items.
void cl_finish_reset(cl_finish *_Nonnull finish, uint64_t target);

// Starts an idle handle on `loop`, a `uv_loop_t *`. The handle keeps the loop from
// blocking and calls `cl_finish_step` in each tick. Returns NULL if there is no
// memory. Loop thread only.
void *_Nullable cl_idle_open(void *_Nonnull loop, cl_finish *_Nonnull finish);

// Closes the handle. The loop's next tick frees it.
void cl_idle_close(void *_Nonnull idle);

// The load of `io`, which is the same for every peer. It consists of batches of
// messages. A peer serves the `count` descriptors of `servers` until each is at its
// end.
//
// Without connections, one byte at a time goes through a socket pair: the answer to
// it sends the next byte, and `cl_io_open` has sent the first. Otherwise a client on
// another thread sends a message to each TCP connection and waits until it has
// received all of them back.
typedef struct {
  uint32_t connections;  // 0: a socket pair
  uint32_t count;
  int *_Nonnull servers;  // non-blocking; closed by `cl_io_close`
  int *_Nonnull clients;  // the other ends
  uint64_t answered;      // the number of correct answers so far
  uint64_t total;
  uint64_t batch;
  uint64_t *_Nonnull ended;  // when each batch ended, in ns
} cl_io;

// The size of a message of a connection, in bytes.
enum { cl_io_message = 64 };

// Opens the sockets for `batches` batches of `batch` messages. `batch` is a multiple
// of `connections`. Returns NULL if a socket cannot be opened.
cl_io *_Nullable cl_io_open(uint32_t connections, uint32_t batches, uint32_t batch);

// Reads once from `server` and answers each message. Returns 0 if `server` is at its end or has
// failed. Call on the thread that serves it.
int cl_io_answer(cl_io *_Nonnull io, int server);

// Sends every message over the connections and receives the answers, then ends the
// connections. Stops at a wrong answer. `io` is a `cl_io *`.
void cl_io_send_all(void *_Nonnull io);

// Makes `cl_io_send_all` return early. Call from any thread.
void cl_io_give_up(cl_io *_Nonnull io);

void cl_io_close(cl_io *_Nonnull io);

// The pings of `wake`, which are the same for every peer. The producer sends a ping
// and sleeps until the loop's callback has answered it.
typedef struct cl_wake cl_wake;

cl_wake *_Nonnull cl_wake_open(uint32_t samples);

// Sends all pings. Before each ping, spins for a random time from `pause_least` to
// twice `pause_least`, in ns. 0 means no pause. Call on the producer's thread.
void cl_wake_ping(cl_wake *_Nonnull wake, uint64_t pause_least, uint64_t seed,
                  void (*_Nonnull send)(void *_Nullable), void *_Nullable context);

// Answers one ping. Call on the loop, at the start of the callback. `wake` is a
// `cl_wake *`. The parameter's type is `void *`, so that this function can be
// posted.
void cl_wake_answer(void *_Nullable wake);

// Answers every announced ping. Use it in a callback that may be called once for
// several coalesced pings.
void cl_wake_answer_all(void *_Nullable wake);

// Switches to an open loop. The producer then announces and sends pings without
// waiting for answers, and each answer records its time.
void cl_wake_pace(cl_wake *_Nonnull wake);

// Announces a ping. Call on the producer's thread before sending it.
void cl_wake_announce(cl_wake *_Nonnull wake);

// Waits until every announced ping was answered. No answer accesses `wake`
// afterwards. Call on the producer's thread.
void cl_wake_settle(cl_wake *_Nonnull wake);

// The time before `send`, for each ping that waited for its answer.
const uint64_t *_Nonnull cl_wake_sent(const cl_wake *_Nonnull wake);

// The time in ns from before `send` to the callback's first instruction. For
// announced pings, the time of each answer, in the order of the answers.
const uint64_t *_Nonnull cl_wake_one_way(const cl_wake *_Nonnull wake);

// The time in ns from before `send` until the producer runs again.
const uint64_t *_Nonnull cl_wake_round_trip(const cl_wake *_Nonnull wake);

void cl_wake_close(cl_wake *_Nonnull wake);

// A peer of `wake` in C.
typedef struct {
  // Opens a peer on the thread that will run it. Each wake-up answers a ping of
  // `wake`. Returns NULL on failure. If the system does not support the peer, this
  // field is NULL.
  void *_Nullable (*_Nullable open)(cl_wake *_Nonnull wake);
  // Sends one ping. Call from any thread.
  void (*_Nonnull send)(void *_Nullable peer);
  // Makes `run` return. Call from any thread.
  void (*_Nonnull stop)(void *_Nonnull peer);
  void (*_Nonnull run)(void *_Nonnull peer);
  void (*_Nonnull close)(void *_Nonnull peer);
} cl_wake_functions;

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
  // `cl_thread_place(-1)`. Returns NULL on failure.
  void *_Nullable (*_Nonnull open)(int width);
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
