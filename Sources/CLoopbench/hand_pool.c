#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "cl_floor.h"

// The neighbours of a member in a circular list. The head of a list has neighbours, too.
typedef struct list_link {
  struct list_link *next, *previous;
} list_link;

// Linked in both directions, so that a call could be cancelled or moved.
typedef struct {
  list_link by_level, by_age;
  void (*function)(void *);
  void *context;
} call;

struct cl_hand_pool {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  // Under `mutex`, like all that follows. The most urgent list comes first.
  list_link levels[CL_HAND_LEVELS];
  list_link ages;
  // The calls taken since the oldest call was taken, and their greatest number.
  uint32_t passed, most;
  bool is_ending;
};

static void make_empty(list_link *list) { list->next = list->previous = list; }

static bool is_empty(const list_link *list) { return list->next == list; }

static void append(list_link *list, list_link *member) {
  member->next = list;
  member->previous = list->previous;
  list->previous->next = member;
  list->previous = member;
}

static void detach(list_link *member) {
  member->previous->next = member->next;
  member->next->previous = member->previous;
}

cl_hand_pool *cl_hand_pool_open(uint32_t workers) {
  cl_hand_pool *pool = calloc(1, sizeof *pool);
  if (pool == NULL) return NULL;
  pool->most = workers * 8 - 1;
  make_empty(&pool->ages);
  for (int level = 0; level < CL_HAND_LEVELS; level++) make_empty(&pool->levels[level]);
  if (pthread_mutex_init(&pool->mutex, NULL) == 0) {
    if (pthread_cond_init(&pool->condition, NULL) == 0) return pool;
    pthread_mutex_destroy(&pool->mutex);
  }
  free(pool);
  return NULL;
}

void cl_hand_pool_add(cl_hand_pool *pool, int level, void (*function)(void *), void *context) {
  call *call = malloc(sizeof *call);
  if (call == NULL) abort();
  call->function = function;
  call->context = context;
  pthread_mutex_lock(&pool->mutex);
  append(&pool->levels[level], &call->by_level);
  append(&pool->ages, &call->by_age);
  pthread_mutex_unlock(&pool->mutex);
  pthread_cond_signal(&pool->condition);
}

static call *oldest(cl_hand_pool *pool) {
  return (call *)((char *)pool->ages.next - offsetof(call, by_age));
}

static call *most_urgent(cl_hand_pool *pool) {
  list_link *level = pool->levels;
  while (is_empty(level)) level++;
  return (call *)((char *)level->next - offsetof(call, by_level));
}

// Removes the most urgent call, or the oldest call if its turn has come. Returns NULL if
// there is none. Call under the mutex.
static call *take(cl_hand_pool *pool) {
  if (is_empty(&pool->ages)) return NULL;
  call *taken = pool->passed >= pool->most ? oldest(pool) : most_urgent(pool);
  pool->passed = taken == oldest(pool) ? 0 : pool->passed + 1;
  detach(&taken->by_level);
  detach(&taken->by_age);
  return taken;
}

void cl_hand_pool_run(cl_hand_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  while (true) {
    call *call = take(pool);
    if (call != NULL) {
      pthread_mutex_unlock(&pool->mutex);
      call->function(call->context);
      free(call);
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
