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

// An idle handle of somebody else's on a loop: it keeps the loop from blocking
// and times the ticks it sees. Measures a bare loop and `lt` the same way.
typedef struct cl_ticker cl_ticker;

// Starts on `loop` (a `uv_loop_t *`), on its thread. Each of `count` samples is
// the time, in ns, of `ticks` ticks. After the last one `done` is called, and
// the handle stops.
cl_ticker *_Nullable cl_ticker_open(void *_Nonnull loop, uint32_t ticks,
                                    uint64_t *_Nonnull samples, uint32_t count,
                                    void (*_Nonnull done)(void *_Nullable),
                                    void *_Nullable context);

// Closes the handle; it is freed in the loop's next tick.
void cl_ticker_close(cl_ticker *_Nonnull ticker);

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

// The time of the answer to the announced ping `index`, by the order of answers.
uint64_t cl_wake_answered_at(const cl_wake *_Nonnull wake, uint32_t index);

// The time before `send` of each ping that waited for its answer.
const uint64_t *_Nonnull cl_wake_sent(const cl_wake *_Nonnull wake);

// ns from before `send` to the callback's first instruction.
const uint64_t *_Nonnull cl_wake_one_way(const cl_wake *_Nonnull wake);

// ns from before `send` until the producer runs again.
const uint64_t *_Nonnull cl_wake_round_trip(const cl_wake *_Nonnull wake);

void cl_wake_close(cl_wake *_Nonnull wake);

#endif
