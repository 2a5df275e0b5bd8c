#include "cl_floor.h"

#include <pthread.h>
#include <stdlib.h>

#include "items.h"

struct cl_cond {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  items items;  // under `mutex`
  bool is_stopping;  // under `mutex`
};

cl_cond *cl_cond_open(void) {
  cl_cond *peer = calloc(1, sizeof *peer);
  if (peer == NULL) return NULL;
  take_items(&peer->items);
  if (pthread_mutex_init(&peer->mutex, NULL) == 0) {
    if (pthread_cond_init(&peer->condition, NULL) == 0) return peer;
    pthread_mutex_destroy(&peer->mutex);
  }
  free(peer);
  return NULL;
}

void cl_cond_post(cl_cond *peer, void (*function)(void *), void *context) {
  item *item = make_item(function, context);
  pthread_mutex_lock(&peer->mutex);
  bool was_empty = append_item(&peer->items, item);
  pthread_mutex_unlock(&peer->mutex);
  if (was_empty) pthread_cond_signal(&peer->condition);
}

// Waits for items and removes all of them. Returns NULL if the queue is empty and
// has been stopped.
static item *take(cl_cond *peer) {
  pthread_mutex_lock(&peer->mutex);
  while (peer->items.first == NULL && !peer->is_stopping) {
    pthread_cond_wait(&peer->condition, &peer->mutex);
  }
  item *items = take_items(&peer->items);
  if (items == NULL) peer->is_stopping = false;
  pthread_mutex_unlock(&peer->mutex);
  return items;
}

void cl_cond_run(cl_cond *peer) {
  for (item *item; (item = take(peer)) != NULL;) run_items(item);
}

void cl_cond_stop(cl_cond *peer) {
  pthread_mutex_lock(&peer->mutex);
  peer->is_stopping = true;
  // Signal while holding the mutex, because another thread may close `peer` as soon
  // as the mutex is unlocked.
  pthread_cond_signal(&peer->condition);
  pthread_mutex_unlock(&peer->mutex);
}

void cl_cond_close(cl_cond *peer) {
  pthread_cond_destroy(&peer->condition);
  pthread_mutex_destroy(&peer->mutex);
  free(peer);
}
