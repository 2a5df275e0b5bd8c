#include <stdbool.h>
#include <stdlib.h>

#include "cl_floor.h"
#include "cl_measure.h"
#include "cl_uv.h"
#include "uv_peer.h"

// Exported by the Swift runtime.
extern void *swift_retain(void *object);
extern void swift_release(void *object);

struct cl_hand_drain {
  cl_uv_peer peer;
  uv_prepare_t prepare;
  uv_idle_t idle;  // active while objects remain, so that the poll does not block
  uv_async_t async;
  uint32_t batch;
  void (*handler)(void *, void *);
  void *context;
  // Under the peer's mutex. The objects with the numbers from `head` to `tail` are
  // queued. A slot has the number of an object, and is free if that is below `epoch`.
  uint32_t head, tail, epoch;
  uint32_t mask;   // of an object's number
  unsigned shift;  // from a hash to a slot
  void **objects;
  uint32_t *slots;  // four for each place in `objects`
};

static uint32_t first_slot(const cl_hand_drain *peer, const void *object) {
  uint64_t word = (uintptr_t)object;
  return (uint32_t)(((word ^ (word >> 8)) * 0x9E3779B97F4A7C15) >> peer->shift);
}

// Returns whether the object was added, because it was not queued.
static bool insert(cl_hand_drain *peer, void *object) {
  uint32_t slot = first_slot(peer, object);
  for (; peer->slots[slot] - peer->epoch < peer->tail - peer->epoch;
       slot = (slot + 1) & (peer->mask * 4 + 3)) {
    uint32_t number = peer->slots[slot];
    bool is_queued = number - peer->head < peer->tail - peer->head;
    if (is_queued && peer->objects[number & peer->mask] == object) return false;
  }
  peer->slots[slot] = peer->tail;
  peer->objects[peer->tail++ & peer->mask] = swift_retain(object);
  return true;
}

// Like the lock of a `RunLoopQueue`: before it blocks, a contender spins for 500 pauses of
// the CPU, up to 64 at a time.
static void lock(cl_hand_drain *peer) {
  int pauses = 0;
  for (int next = 1; pauses < 500; next = next < 64 ? next * 2 : 64) {
    if (uv_mutex_trylock(&peer->peer.mutex) == 0) return;
    for (int i = 0; i < next; i++) cl_pause();
    pauses += next;
  }
  uv_mutex_lock(&peer->peer.mutex);
}

static void unlock(cl_hand_drain *peer) { uv_mutex_unlock(&peer->peer.mutex); }

void cl_hand_drain_add(cl_hand_drain *peer, void *object) {
  lock(peer);
  insert(peer, object);
  unlock(peer);
}

void cl_hand_drain_send(cl_hand_drain *peer, void *object) {
  lock(peer);
  bool was_empty = peer->head == peer->tail;
  insert(peer, object);
  unlock(peer);
  if (was_empty) uv_async_send(&peer->async);
}

// Removes the next object, because another thread may remove one until its delivery.
// Returns NULL if there is none. After that, the object may be queued again.
static void *take(cl_hand_drain *peer, bool *is_last) {
  void *object = NULL;
  lock(peer);
  if (peer->head != peer->tail) object = peer->objects[peer->head++ & peer->mask];
  *is_last = peer->head == peer->tail;
  if (*is_last) peer->epoch = peer->tail;
  unlock(peer);
  return object;
}

static void idle_tick(uv_idle_t *idle) { (void)idle; }

// The prepare callback after the poll delivers the objects.
static void awake(uv_async_t *async) { (void)async; }

static void drain(uv_prepare_t *prepare) {
  cl_hand_drain *peer = prepare->data;
  bool is_last = false;
  for (uint32_t left = peer->batch; left > 0 && !is_last; left--) {
    void *object = take(peer, &is_last);
    if (object == NULL) break;
    peer->handler(object, peer->context);
    swift_release(object);
  }
  if (is_last) {
    uv_idle_stop(&peer->idle);
  } else {
    uv_idle_start(&peer->idle, idle_tick);
  }
}

cl_hand_drain *cl_hand_drain_open(uint32_t objects, uint32_t batch,
                                  void (*handler)(void *, void *), void *context) {
  uint32_t bits = 0;
  while (1u << bits < objects) bits++;
  cl_hand_drain *peer = cl_uv_peer_open(sizeof *peer);
  if (peer == NULL) return NULL;
  peer->batch = batch;
  peer->handler = handler;
  peer->context = context;
  peer->head = peer->tail = peer->epoch = 1;
  peer->mask = (1u << bits) - 1;
  peer->shift = 64 - (bits + 2);
  peer->objects = calloc(1u << bits, sizeof *peer->objects);
  peer->slots = calloc(4u << bits, sizeof *peer->slots);
  uv_idle_init(&peer->peer.loop, &peer->idle);
  uv_prepare_init(&peer->peer.loop, &peer->prepare);
  peer->prepare.data = peer;
  uv_prepare_start(&peer->prepare, drain);
  bool is_open = uv_async_init(&peer->peer.loop, &peer->async, awake) == 0;
  if (is_open && peer->objects != NULL && peer->slots != NULL) return peer;
  cl_hand_drain_close(peer);
  return NULL;
}

void cl_hand_drain_close(cl_hand_drain *peer) {
  while (peer->head != peer->tail) swift_release(peer->objects[peer->head++ & peer->mask]);
  free(peer->objects);
  free(peer->slots);
  cl_uv_loop_close(peer);
}
