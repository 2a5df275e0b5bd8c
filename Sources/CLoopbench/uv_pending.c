#include <stdlib.h>

#include "cl_measure.h"
#include "cl_uv.h"
#include "uv_peer.h"

struct cl_uv_pending {
  cl_uv_peer peer;
  uv_timer_t timer;
  uint32_t count;
  uv_timer_t pending[];
};

static void fire(uv_timer_t *timer) { (void)timer; }

static void start(cl_uv_pending *peer, uv_timer_t *timer, uint32_t index) {
  uv_timer_start(timer, fire, cl_pending_delay(index, peer->count), 0);
}

cl_uv_pending *cl_uv_pending_open(uint32_t count) {
  cl_uv_pending *peer = cl_uv_peer_open(sizeof *peer + count * sizeof(uv_timer_t));
  if (peer == NULL) return NULL;
  peer->count = count;
  uv_timer_init(&peer->peer.loop, &peer->timer);
  for (uint32_t i = 0; i < count; i++) {
    uv_timer_init(&peer->peer.loop, &peer->pending[i]);
    start(peer, &peer->pending[i], i);
  }
  return peer;
}

uint64_t cl_uv_pending_cycle(cl_uv_pending *peer, uint32_t pairs) {
  uint64_t began = cl_now();
  for (uint32_t i = 0; i < pairs; i++) {
    start(peer, &peer->timer, i);
    uv_timer_stop(&peer->timer);
  }
  uv_run(&peer->peer.loop, UV_RUN_NOWAIT);
  return cl_now() - began;
}

void cl_uv_pending_close(cl_uv_pending *peer) { cl_uv_loop_close(peer); }
