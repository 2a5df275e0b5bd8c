#include "cl_uv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <uv.h>

typedef struct node {
  struct node *next;
  void (*function)(void *);
  void *context;
} node;

struct cl_uv_post {
  uv_loop_t *loop;
  uv_async_t async;
  uv_prepare_t prepare;
  void (*before_waiting)(void *);
  void *before_waiting_context;
  uv_mutex_t mutex;
  node *first;  // under `mutex`
  node **last;  // under `mutex`: where the next node goes
};

static void run_items(uv_async_t *async) {
  cl_uv_post *peer = async->data;
  uv_mutex_lock(&peer->mutex);
  node *item = peer->first;
  peer->first = NULL;
  peer->last = &peer->first;
  uv_mutex_unlock(&peer->mutex);
  while (item != NULL) {
    node *next = item->next;
    item->function(item->context);
    free(item);
    item = next;
  }
}

// False when libuv refused a handle; what it made goes with the loop.
static bool open_handles(cl_uv_post *peer) {
  if (uv_mutex_init(&peer->mutex) != 0) return false;
  if (uv_async_init(peer->loop, &peer->async, run_items) == 0) return true;
  uv_mutex_destroy(&peer->mutex);
  return false;
}

cl_uv_post *cl_uv_post_open(void) {
  cl_uv_post *peer = calloc(1, sizeof *peer);
  if (peer == NULL) return NULL;
  peer->loop = cl_uv_loop_open();
  if (peer->loop != NULL && open_handles(peer)) {
    peer->async.data = peer;
    peer->last = &peer->first;
    return peer;
  }
  if (peer->loop != NULL) cl_uv_loop_close(peer->loop);
  free(peer);
  return NULL;
}

static inline void post(cl_uv_post *peer, void (*function)(void *), void *context) {
  node *item = malloc(sizeof *item);
  if (item == NULL) abort();
  item->next = NULL;
  item->function = function;
  item->context = context;
  uv_mutex_lock(&peer->mutex);
  bool was_empty = peer->first == NULL;
  *peer->last = item;
  peer->last = &item->next;
  uv_mutex_unlock(&peer->mutex);
  if (was_empty) uv_async_send(&peer->async);
}

void cl_uv_post_item(cl_uv_post *peer, void (*function)(void *), void *context) {
  post(peer, function, context);
}

void cl_uv_post_burst(cl_uv_post *peer, cl_finish *finish, uint32_t items) {
  for (uint32_t i = 0; i < items; i++) post(peer, cl_finish_step, finish);
}

void cl_uv_post_run(cl_uv_post *peer) { cl_uv_loop_run(peer->loop); }

void cl_uv_post_stop(void *peer) { cl_uv_loop_stop(((cl_uv_post *)peer)->loop); }

static void prepare_tick(uv_prepare_t *prepare) {
  cl_uv_post *peer = prepare->data;
  peer->before_waiting(peer->before_waiting_context);
}

void cl_uv_post_before_waiting(cl_uv_post *peer, void (*function)(void *), void *context) {
  peer->before_waiting = function;
  peer->before_waiting_context = context;
  uv_prepare_init(peer->loop, &peer->prepare);
  peer->prepare.data = peer;
  uv_prepare_start(&peer->prepare, prepare_tick);
}

void cl_uv_post_close(cl_uv_post *peer) {
  cl_uv_loop_close(peer->loop);
  uv_mutex_destroy(&peer->mutex);
  free(peer);
}
