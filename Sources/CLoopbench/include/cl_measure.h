#ifndef CL_MEASURE_H
#define CL_MEASURE_H

#include <stdint.h>
#include <time.h>

// Nanoseconds on the clock of `uv_hrtime`.
static inline uint64_t cl_now(void) {
#if defined(__APPLE__)
  return clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
#else
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
#endif
}

// Burns this thread's processor until `deadline`. Never sleeps.
void cl_spin_until(uint64_t deadline);

// Sleeps until `deadline`, or a little longer.
void cl_sleep_until(uint64_t deadline);

// Lets the system add up to `slack` ns to this thread's sleeps, at least 1; by
// default Linux adds up to 50 us.
void cl_sleep_within(uint64_t slack);

// Does nothing, and the optimiser can not know: what `value` points at must be
// there.
void cl_black_hole(const void *_Nonnull value);

// Where the items of a `post` or `drain` sample arrive: counts them, stamps the
// time at which the last one ran, and says so. The loop's thread only.
typedef struct {
  uint64_t ran;
  uint64_t target;
  uint64_t finished;             // ns, 0 until the last item ran
  void (*_Nullable stop)(void *_Nullable);  // called with the last item
  void *_Nullable stop_context;
} cl_finish;

// One item ran. `finish` is a `cl_finish *`: the shape of a posted function.
void cl_finish_step(void *_Nullable finish);

// Begins a sample of `target` items.
void cl_finish_reset(cl_finish *_Nonnull finish, uint64_t target);

// Starts a foreign idle handle on `loop` (a `uv_loop_t *`), on its thread: it keeps the
// loop from blocking, and steps `finish` in each tick. NULL when there is no memory.
void *_Nullable cl_idle_open(void *_Nonnull loop, cl_finish *_Nonnull finish);

// Closes the handle, which is freed in the loop's next tick.
void cl_idle_close(void *_Nonnull idle);

// The two ends of `wake`, the same for every peer: the producer pings, the
// loop's callback answers, the producer sleeps until it does.
typedef struct cl_wake cl_wake;

cl_wake *_Nullable cl_wake_open(uint32_t samples);

// On the producer's thread: sends `samples` pings, each after a pause, spent
// spinning, of `pause_least` to twice that many ns (0: at once).
void cl_wake_ping(cl_wake *_Nonnull wake, uint64_t pause_least, uint64_t seed,
                  void (*_Nonnull send)(void *_Nullable), void *_Nullable context);

// On the loop, first thing in the callback. `wake` is a `cl_wake *`: the shape
// of a posted function.
void cl_wake_answer(void *_Nullable wake);

// The same for a callback that stands for every ping before it, because the
// system below coalesces them.
void cl_wake_answer_all(void *_Nullable wake);

// From now on the producer waits for no answer: it announces each ping before it
// sends it, and `cl_wake_answer` notes when it was answered.
void cl_wake_pace(cl_wake *_Nonnull wake);

// On the producer's thread, before each ping.
void cl_wake_announce(cl_wake *_Nonnull wake);

// On the producer's thread: waits until every announced ping was answered. What
// answers touches nothing afterwards.
void cl_wake_settle(cl_wake *_Nonnull wake);

// The time before `send` of each ping that waited for its answer.
const uint64_t *_Nonnull cl_wake_sent(const cl_wake *_Nonnull wake);

// ns from before `send` to the callback's first instruction. Of an announced ping it is
// the time of the answer itself, in the order of the answers.
const uint64_t *_Nonnull cl_wake_one_way(const cl_wake *_Nonnull wake);

// ns from before `send` until the producer runs again.
const uint64_t *_Nonnull cl_wake_round_trip(const cl_wake *_Nonnull wake);

void cl_wake_close(cl_wake *_Nonnull wake);

// A peer of `wake` in C.
typedef struct {
  // Opens a peer on the thread that runs it; each wake-up answers `wake`. The function is
  // NULL where the system has no such peer. It returns NULL when it fails.
  void *_Nullable (*_Nullable open)(cl_wake *_Nonnull wake);
  // Sends one ping. Any thread.
  void (*_Nonnull send)(void *_Nullable peer);
  // Makes `run` return. Any thread.
  void (*_Nonnull stop)(void *_Nonnull peer);
  void (*_Nonnull run)(void *_Nonnull peer);
  void (*_Nonnull close)(void *_Nonnull peer);
} cl_wake_functions;

#endif
