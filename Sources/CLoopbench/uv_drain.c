#include "cl_uv.h"

#include <stdbool.h>
#include <stdlib.h>

#include "cl_measure.h"
#include "uv_peer.h"

typedef struct object {
  struct object *next;
  bool is_queued;
} object;

struct cl_uv_drain {
  cl_uv_peer peer;
  uv_prepare_t prepare;
  uv_idle_t idle;  // active while objects remain, so that the poll does not block
  uv_async_t async;
  object *first;   // under the peer's mutex
  object **last;   // under the peer's mutex: where the next object goes
  uint32_t batch;
  void (*handler)(cl_uv_drain *, object *);
  cl_finish *finish;
  uint32_t object_count;
  object objects[];
};

// Returns whether the list was empty.
static bool enqueue(cl_uv_drain *peer, object *object) {
  uv_mutex_lock(&peer->peer.mutex);
  bool was_empty = peer->first == NULL;
  if (!object->is_queued) {
    object->is_queued = true;
    object->next = NULL;
    *peer->last = object;
    peer->last = &object->next;
  }
  uv_mutex_unlock(&peer->peer.mutex);
  return was_empty;
}

// Unlinks up to `batch` objects. After that, they may be queued again.
static object *take_batch(cl_uv_drain *peer, bool *is_empty) {
  uv_mutex_lock(&peer->peer.mutex);
  object *first = peer->first;
  object **end = &peer->first;
  for (uint32_t i = 0; i < peer->batch && *end != NULL; i++) {
    (*end)->is_queued = false;
    end = &(*end)->next;
  }
  object *rest = *end;
  *end = NULL;
  peer->first = rest;
  if (rest == NULL) peer->last = &peer->first;
  *is_empty = rest == NULL;
  uv_mutex_unlock(&peer->peer.mutex);
  return first;
}

static void idle_tick(uv_idle_t *idle) { (void)idle; }

static void drain(uv_prepare_t *prepare) {
  cl_uv_drain *peer = prepare->data;
  bool is_empty;
  object *object = take_batch(peer, &is_empty);
  while (object != NULL) {
    // The handler may queue the object again, which overwrites `next`.
    struct object *next = object->next;
    peer->handler(peer, object);
    object = next;
  }
  if (is_empty) {
    uv_idle_stop(&peer->idle);
  } else {
    uv_idle_start(&peer->idle, idle_tick);
  }
}

static void handle_object(cl_uv_drain *peer, object *object) {
  cl_black_hole(object);
  cl_finish_step(peer->finish);
}

// The prepare callback after the poll delivers the objects.
static void awake(uv_async_t *async) { (void)async; }

cl_uv_drain *cl_uv_drain_open(uint32_t objects, uint32_t batch, cl_finish *finish) {
  cl_uv_drain *peer = cl_uv_peer_open(sizeof *peer + objects * sizeof(object));
  if (peer == NULL) return NULL;
  peer->object_count = objects;
  peer->batch = batch;
  peer->handler = handle_object;
  peer->finish = finish;
  peer->last = &peer->first;
  uv_idle_init(&peer->peer.loop, &peer->idle);
  uv_prepare_init(&peer->peer.loop, &peer->prepare);
  peer->prepare.data = peer;
  uv_prepare_start(&peer->prepare, drain);
  if (uv_async_init(&peer->peer.loop, &peer->async, awake) == 0) return peer;
  cl_uv_loop_close(peer);
  return NULL;
}

void cl_uv_drain_add(cl_uv_drain *peer, bool is_across) {
  for (uint32_t i = 0; i < peer->object_count; i++) {
    if (enqueue(peer, &peer->objects[i]) && is_across) uv_async_send(&peer->async);
  }
}
