#include "cl_floor.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "uv_peer.h"

typedef struct {
  cl_uv_peer peer;
  uv_prepare_t prepare;
  uv_check_t check;
  _Atomic(uint32_t) inbox;
  _Atomic(uint32_t) requests;
  uint64_t ticks;
  uint32_t posts;
  uint32_t callbacks;
  bool is_asleep;
} hand_idle;

// Nothing posts, so a loop with work is a defect of the peer.
static void before_waiting(uv_prepare_t *prepare) {
  hand_idle *hand = prepare->data;
  hand->ticks += 1;
  // Acquire: a post of another thread must be visible with its flag.
  if (atomic_load_explicit(&hand->inbox, memory_order_acquire) != 0) abort();
  if (hand->posts != 0 || hand->callbacks != 0) abort();
  hand->is_asleep = atomic_load_explicit(&hand->requests, memory_order_relaxed) == 0;
}

static void after_waiting(uv_check_t *check) {
  hand_idle *hand = check->data;
  if (hand->callbacks != 0) abort();
  hand->is_asleep = false;
}

void *cl_hand_idle_open(void) {
  hand_idle *hand = cl_uv_peer_open(sizeof *hand);
  if (hand == NULL) return NULL;
  uv_prepare_init(&hand->peer.loop, &hand->prepare);
  uv_check_init(&hand->peer.loop, &hand->check);
  hand->prepare.data = hand;
  hand->check.data = hand;
  uv_prepare_start(&hand->prepare, before_waiting);
  uv_check_start(&hand->check, after_waiting);
  return hand;
}
