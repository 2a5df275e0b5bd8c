#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cl_floor.h"
#include "items.h"

struct cl_hand_pool {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  // Under `mutex`, like all that follows. The most urgent list comes first.
  items lists[CL_HAND_LEVELS];
  bool is_ending;
};

cl_hand_pool *cl_hand_pool_open(void) {
  cl_hand_pool *pool = calloc(1, sizeof *pool);
  if (pool == NULL) return NULL;
  for (int level = 0; level < CL_HAND_LEVELS; level++) take_items(&pool->lists[level]);
  if (pthread_mutex_init(&pool->mutex, NULL) == 0) {
    if (pthread_cond_init(&pool->condition, NULL) == 0) return pool;
    pthread_mutex_destroy(&pool->mutex);
  }
  free(pool);
  return NULL;
}

void cl_hand_pool_add(cl_hand_pool *pool, int level, void (*function)(void *), void *context) {
  item *item = make_item(function, context);
  pthread_mutex_lock(&pool->mutex);
  append_item(&pool->lists[level], item);
  pthread_mutex_unlock(&pool->mutex);
  pthread_cond_signal(&pool->condition);
}

// Removes the first item of the most urgent list that has one. Call under the mutex.
static item *take_first(cl_hand_pool *pool) {
  for (int level = 0; level < CL_HAND_LEVELS; level++) {
    items *list = &pool->lists[level];
    item *first = list->first;
    if (first == NULL) continue;
    list->first = first->next;
    if (list->first == NULL) list->last = &list->first;
    return first;
  }
  return NULL;
}

void cl_hand_pool_run(cl_hand_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  while (true) {
    item *item = take_first(pool);
    if (item != NULL) {
      pthread_mutex_unlock(&pool->mutex);
      item->function(item->context);
      free(item);
      pthread_mutex_lock(&pool->mutex);
    } else if (pool->is_ending) {
      break;
    } else {
      pthread_cond_wait(&pool->condition, &pool->mutex);
    }
  }
  pthread_mutex_unlock(&pool->mutex);
}

void cl_hand_pool_end(cl_hand_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  pool->is_ending = true;
  pthread_mutex_unlock(&pool->mutex);
  pthread_cond_broadcast(&pool->condition);
}

void cl_hand_pool_close(cl_hand_pool *pool) {
  pthread_cond_destroy(&pool->condition);
  pthread_mutex_destroy(&pool->mutex);
  free(pool);
}
