#ifndef CL_WAKE_H
#define CL_WAKE_H

#include <stdint.h>

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
