#include "cl_uv.h"

#include <stdbool.h>
#include <stdlib.h>

#include "cl_measure.h"
#include "uv_peer.h"

typedef struct target {
  void (*action)(struct target *);
  uint64_t performed;
  bool is_pending;
} target;

typedef struct {
  target **items;
  uint32_t count;
  uint32_t capacity;
} list;

struct cl_uv_commit {
  cl_uv_peer peer;
  uv_prepare_t prepare;
  list pending;
  list spare;  // replaces `pending` while the old list is performed
  uint32_t target_count;
  target *targets[];
};

static void grow(list *list) {
  uint32_t capacity = list->capacity == 0 ? 16 : list->capacity * 2;
  target **items = realloc(list->items, capacity * sizeof *items);
  if (items == NULL) abort();
  list->items = items;
  list->capacity = capacity;
}

static inline void commit(cl_uv_commit *peer, target *target) {
  if (target->is_pending) return;
  target->is_pending = true;
  if (peer->pending.count == peer->pending.capacity) grow(&peer->pending);
  peer->pending.items[peer->pending.count++] = target;
}

// If an action commits a target, that target is performed in the next tick.
static void flush(uv_prepare_t *prepare) {
  cl_uv_commit *peer = prepare->data;
  list batch = peer->pending;
  peer->pending = peer->spare;
  for (uint32_t i = 0; i < batch.count; i++) {
    target *target = batch.items[i];
    target->is_pending = false;
    target->action(target);
  }
  batch.count = 0;
  peer->spare = batch;
}

static void perform(target *target) { target->performed++; }

static target *make_target(void) {
  target *result = calloc(1, sizeof *result);
  if (result == NULL) abort();
  result->action = perform;
  return result;
}

cl_uv_commit *cl_uv_commit_open(uint32_t targets) {
  cl_uv_commit *peer = cl_uv_peer_open(sizeof *peer + targets * sizeof(target *));
  if (peer == NULL) return NULL;
  peer->target_count = targets;
  for (uint32_t i = 0; i < targets; i++) peer->targets[i] = make_target();
  uv_prepare_init(&peer->peer.loop, &peer->prepare);
  peer->prepare.data = peer;
  uv_prepare_start(&peer->prepare, flush);
  return peer;
}

static void commit_all(cl_uv_commit *peer) {
  for (uint32_t i = 0; i < peer->target_count; i++) commit(peer, peer->targets[i]);
}

uint64_t cl_uv_commit_duplicates(cl_uv_commit *peer, uint32_t repeats) {
  commit_all(peer);
  uint64_t began = cl_now();
  for (uint32_t i = 0; i < repeats; i++) commit_all(peer);
  uint64_t elapsed = cl_now() - began;
  uv_run(&peer->peer.loop, UV_RUN_NOWAIT);
  return elapsed;
}

uint64_t cl_uv_commit_first(cl_uv_commit *peer) {
  uint64_t began = cl_now();
  commit_all(peer);
  uv_run(&peer->peer.loop, UV_RUN_NOWAIT);
  return cl_now() - began;
}

uint64_t cl_uv_commit_performed(const cl_uv_commit *peer) {
  uint64_t performed = 0;
  for (uint32_t i = 0; i < peer->target_count; i++) performed += peer->targets[i]->performed;
  return performed;
}

void cl_uv_commit_close(cl_uv_commit *peer) {
  for (uint32_t i = 0; i < peer->target_count; i++) free(peer->targets[i]);
  free(peer->pending.items);
  free(peer->spare.items);
  cl_uv_loop_close(peer);
}
