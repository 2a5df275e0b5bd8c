#if !__has_include(<event2/event.h>)
#error "libevent is missing; install it with: apt-get install libevent-dev"
#endif

#include <event2/event.h>
#include <event2/thread.h>

#include <stdexcept>

#include "loop.hpp"

namespace {

// A base that other threads may use.
struct Base {
  event_base *base;

  Base() {
    static const int is_threaded = evthread_use_pthreads();
    base = is_threaded == 0 ? event_base_new() : nullptr;
    if (base == nullptr) throw std::runtime_error("event_base_new");
  }

  ~Base() { event_base_free(base); }
};

struct LibeventLoop : Base {
  ClosureList closures;
  // An event of the user: it waits for no descriptor and no time.
  event *ready = event_new(base, -1, 0, call, this);

  ~LibeventLoop() { event_free(ready); }

  template <class Closure>
  void post(Closure &&closure) {
    if (closures.append(std::forward<Closure>(closure))) event_active(ready, 0, 0);
  }

  void run() { event_base_loop(base, EVLOOP_NO_EXIT_ON_EMPTY); }

  void quit() { event_base_loopbreak(base); }

  static void call(evutil_socket_t, short, void *loop) {
    static_cast<LibeventLoop *>(loop)->closures.run();
  }
};

// A timer of zero, which the callback adds again, makes a pass that does not block.
struct LibeventIdle : Base {
  event *timer = event_new(base, -1, 0, tick, this);
  uint64_t ticked = 0;
  uint64_t last = 0;

  ~LibeventIdle() { event_free(timer); }

  void run(uint32_t count) {
    last = ticked + count;
    arm();
    event_base_loop(base, 0);
  }

  void arm() {
    static const timeval now = {0, 0};
    event_add(timer, &now);
  }

  static void tick(evutil_socket_t, short, void *context) {
    auto loop = static_cast<LibeventIdle *>(context);
    if (++loop->ticked < loop->last) loop->arm();
  }
};

struct LibeventTimers : Base {
  std::vector<event *> pending;
  event *timer = event_new(base, -1, 0, fire, this);
  uint64_t cancelled = 0;
  uint64_t fired = 0;

  ~LibeventTimers() {
    for (auto event : pending) event_free(event);
    event_free(timer);
  }

  void arm(uint64_t delay) {
    pending.push_back(event_new(base, -1, 0, fire, this));
    add(pending.back(), delay);
  }

  void pair(uint64_t delay) {
    add(timer, delay);
    if (event_del(timer) == 0) cancelled++;
  }

  static void add(event *timer, uint64_t delay) {
    timeval time = {static_cast<time_t>(delay / 1000), static_cast<suseconds_t>(delay % 1000 * 1000)};
    event_add(timer, &time);
  }

  void tick() { event_base_loop(base, EVLOOP_NONBLOCK); }

  static void fire(evutil_socket_t, short, void *timers) {
    static_cast<LibeventTimers *>(timers)->fired++;
  }
};

}  // namespace

const cp_timers cp_libevent_timers = TimerFunctions<LibeventTimers>::table();

const cp_loop cp_libevent = LoopFunctions<LibeventLoop>::table();

const cp_idle cp_libevent_idle = IdleFunctions<LibeventIdle>::table();
