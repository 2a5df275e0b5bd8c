#include "cl_uv_timer.h"

#include <uv.h>

#include "cl_clock.h"

typedef struct {
  uv_timer_t timer;
  uint64_t due;
  uint64_t interval;
  int64_t *lateness;
  uint32_t fired;
  uint32_t count;
} schedule;

static void fire(uv_timer_t *timer);

// libuv's time is `hrtime` in whole milliseconds, rounded down, so the first of
// them that is not before `due` is `due` rounded up.
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

static void run_schedule(uv_loop_t *loop, schedule *schedule) {
  uv_timer_init(loop, &schedule->timer);
  schedule->timer.data = schedule;
  arm(schedule);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_close((uv_handle_t *)&schedule->timer, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
}

int cl_uv_timer_run(uint64_t first, uint64_t interval, int64_t *lateness, uint32_t count) {
  uv_loop_t loop;
  int error = uv_loop_init(&loop);
  if (error != 0) return error;
  schedule schedule = {
      .due = first, .interval = interval, .lateness = lateness, .count = count};
  run_schedule(&loop, &schedule);
  error = uv_loop_close(&loop);
  return error != 0 ? error : (int)schedule.fired;
}
