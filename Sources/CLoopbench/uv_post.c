#include "cl_uv.h"

#include "items.h"
#include "uv_peer.h"

struct cl_uv_post {
  cl_uv_peer peer;
  items items;  // under the peer's mutex
  uv_async_t async;
  uv_prepare_t prepare;
  void (*before_waiting)(void *);
  void *before_waiting_context;
};

static void woken(uv_async_t *async) {
  cl_uv_post *post = async->data;
  uv_mutex_lock(&post->peer.mutex);
  item *item = take_items(&post->items);
  uv_mutex_unlock(&post->peer.mutex);
  run_items(item);
}

cl_uv_post *cl_uv_post_open(void) {
  cl_uv_post *post = cl_uv_peer_open(sizeof *post);
  if (post == NULL) return NULL;
  take_items(&post->items);
  post->async.data = post;
  if (uv_async_init(&post->peer.loop, &post->async, woken) == 0) return post;
  cl_uv_loop_close(post);
  return NULL;
}

static inline void add(cl_uv_post *post, void (*function)(void *), void *context) {
  item *item = make_item(function, context);
  uv_mutex_lock(&post->peer.mutex);
  bool was_empty = append_item(&post->items, item);
  uv_mutex_unlock(&post->peer.mutex);
  if (was_empty) uv_async_send(&post->async);
}

void cl_uv_post_item(cl_uv_post *post, void (*function)(void *), void *context) {
  add(post, function, context);
}

void cl_uv_post_burst(cl_uv_post *post, uint32_t items, void (*function)(void *), void *context) {
  for (uint32_t i = 0; i < items; i++) add(post, function, context);
}

static void prepare_tick(uv_prepare_t *prepare) {
  cl_uv_post *post = prepare->data;
  post->before_waiting(post->before_waiting_context);
}

void cl_uv_post_before_waiting(cl_uv_post *post, void (*function)(void *), void *context) {
  post->before_waiting = function;
  post->before_waiting_context = context;
  uv_prepare_init(&post->peer.loop, &post->prepare);
  post->prepare.data = post;
  uv_prepare_start(&post->prepare, prepare_tick);
}
