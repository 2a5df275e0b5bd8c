#include "cl_measure.h"
#include "cl_uv.h"
#include "uv_peer.h"

typedef struct {
  uv_timer_t timer;
  uint64_t due;
  uint64_t interval;
  int64_t *lateness;
  uint32_t fired;
  uint32_t count;
} schedule;

static void fire(uv_timer_t *timer);

// libuv's time is `hrtime` rounded down to milliseconds. The first millisecond that
// is not before `due` is therefore `due` rounded up.
static void arm(schedule *schedule) {
  const uint64_t millisecond = 1000000;
  uint64_t due = (schedule->due + millisecond - 1) / millisecond;
  uv_update_time(schedule->timer.loop);
  uint64_t now = uv_now(schedule->timer.loop);
  uv_timer_start(&schedule->timer, fire, due > now ? due - now : 0, 0);
}

static void fire(uv_timer_t *timer) {
  uint64_t now = cl_now();
  schedule *schedule = timer->data;
  schedule->lateness[schedule->fired++] = (int64_t)(now - schedule->due);
  schedule->due += schedule->interval;
  if (schedule->fired < schedule->count) arm(schedule);
}

int cl_uv_timer_run(uint64_t first, uint64_t interval, int64_t *lateness, uint32_t count) {
  void *loop = cl_uv_loop_open();
  if (loop == NULL) return 0;
  schedule schedule = {
      .due = first, .interval = interval, .lateness = lateness, .count = count};
  uv_timer_init(loop, &schedule.timer);
  schedule.timer.data = &schedule;
  arm(&schedule);
  cl_uv_loop_run(loop);
  cl_uv_loop_close(loop);
  return (int)schedule.fired;
}

struct cl_uv_pending {
  cl_uv_peer peer;
  uv_timer_t timer;
  uint32_t count;
  uv_timer_t pending[];
};

static void ignore(uv_timer_t *timer) { (void)timer; }

static void start(cl_uv_pending *peer, uv_timer_t *timer, uint32_t index) {
  uv_timer_start(timer, ignore, cl_pending_delay(index, peer->count), 0);
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
