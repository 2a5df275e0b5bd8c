#include "cl_floor.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "cl_measure.h"
#include "items.h"

struct cl_cond {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  items items;  // under `mutex`
  bool is_stopping;  // under `mutex`
};

// Uses the clock of `cl_now` if the system supports it for conditions.
static int open_condition(pthread_cond_t *condition) {
  pthread_condattr_t attributes;
  int error = pthread_condattr_init(&attributes);
  if (error != 0) return error;
#if defined(__linux__)
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
#endif
  error = pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
  return error;
}

cl_cond *cl_cond_open(void) {
  cl_cond *peer = calloc(1, sizeof *peer);
  if (peer == NULL) return NULL;
  take_items(&peer->items);
  if (pthread_mutex_init(&peer->mutex, NULL) == 0) {
    if (open_condition(&peer->condition) == 0) return peer;
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

static void wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t due) {
#if defined(__linux__)
  struct timespec time = {(time_t)(due / 1000000000u), (long)(due % 1000000000u)};
  while (pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT) continue;
#else
  for (uint64_t now; (now = cl_now()) < due;) {
    struct timespec time = {(time_t)((due - now) / 1000000000u), (long)((due - now) % 1000000000u)};
    pthread_cond_timedwait_relative_np(condition, mutex, &time);
  }
#endif
}

int cl_cond_timer_run(uint64_t first, uint64_t interval, int64_t *lateness, uint32_t count) {
  cl_cond *peer = cl_cond_open();
  if (peer == NULL) return 0;
  pthread_mutex_lock(&peer->mutex);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t due = first + i * interval;
    wait_until(&peer->condition, &peer->mutex, due);
    lateness[i] = (int64_t)(cl_now() - due);
  }
  pthread_mutex_unlock(&peer->mutex);
  cl_cond_close(peer);
  return (int)count;
}
