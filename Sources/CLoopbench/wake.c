#include "cl_measure.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <uv.h>

struct cl_wake {
  uv_sem_t answers;
  uint64_t arrived;  // written by the loop before it opens the gate
  uint32_t samples;
  uint64_t *sent;
  uint64_t *one_way;
  uint64_t *round_trip;
  bool is_paced;          // set before other threads use this
  atomic_uint announced;  // number of pings; written by the producer
  atomic_uint next;       // index of the next ping to answer
  atomic_uint answered;   // number of answers; an answer writes this field last
};

cl_wake *cl_wake_open(uint32_t samples) {
  cl_wake *wake = calloc(1, sizeof *wake);
  uint64_t *times = calloc(3 * (size_t)samples, sizeof *times);
  if (wake == NULL || times == NULL || uv_sem_init(&wake->answers, 0) != 0) abort();
  wake->samples = samples;
  wake->sent = times;
  wake->one_way = times + samples;
  wake->round_trip = times + 2 * (size_t)samples;
  return wake;
}

// xorshift64. The state must not be 0.
static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

void cl_wake_ping(cl_wake *wake, uint64_t pause_least, uint64_t seed, void (*send)(void *),
                  void *context) {
  uint64_t state = seed | 1;
  for (uint32_t i = 0; i < wake->samples; i++) {
    if (pause_least > 0) {
      cl_spin_until(cl_now() + pause_least + next_random(&state) % pause_least);
    }
    uint64_t sent = cl_now();
    send(context);
    uv_sem_wait(&wake->answers);
    wake->round_trip[i] = cl_now() - sent;
    wake->sent[i] = sent;
    wake->one_way[i] = wake->arrived - sent;
  }
}

void cl_wake_pace(cl_wake *wake) { wake->is_paced = true; }

void cl_wake_announce(cl_wake *wake) {
  // Release: pairs with the acquire in `cl_wake_answer_all`.
  atomic_fetch_add_explicit(&wake->announced, 1, memory_order_release);
}

// Records the time of the answer to an announced ping. A ping that waits for its
// answer records a duration instead.
static void note(cl_wake *wake) {
  uint64_t now = cl_now();
  // Relaxed: answers run one after the other.
  unsigned index = atomic_fetch_add_explicit(&wake->next, 1, memory_order_relaxed);
  if (index < wake->samples) wake->one_way[index] = now;
  // Release: pairs with the acquire in `cl_wake_settle`.
  atomic_fetch_add_explicit(&wake->answered, 1, memory_order_release);
}

void cl_wake_settle(cl_wake *wake) {
  unsigned announced = atomic_load_explicit(&wake->announced, memory_order_relaxed);
  while (atomic_load_explicit(&wake->answered, memory_order_acquire) < announced) {
    cl_sleep_until(cl_now() + 50000);
  }
}

void cl_wake_answer_all(void *context) {
  cl_wake *wake = context;
  if (!wake->is_paced) {
    cl_wake_answer(context);
    return;
  }
  unsigned announced = atomic_load_explicit(&wake->announced, memory_order_acquire);
  unsigned next = atomic_load_explicit(&wake->next, memory_order_relaxed);
  while (next++ < announced) note(wake);
}

void cl_wake_answer(void *context) {
  cl_wake *wake = context;
  if (wake->is_paced) {
    note(wake);
    return;
  }
  wake->arrived = cl_now();
  uv_sem_post(&wake->answers);
}

const uint64_t *cl_wake_sent(const cl_wake *wake) { return wake->sent; }

const uint64_t *cl_wake_one_way(const cl_wake *wake) { return wake->one_way; }

const uint64_t *cl_wake_round_trip(const cl_wake *wake) { return wake->round_trip; }

void cl_wake_close(cl_wake *wake) {
  uv_sem_destroy(&wake->answers);
  free(wake->sent);
  free(wake);
}
