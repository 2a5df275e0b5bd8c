#if !__has_include(<ev.h>)
#error "libev is missing; install it with: apt-get install libev-dev"
#endif

#include <dlfcn.h>
#include <ev.h>

#include <deque>
#include <stdexcept>

#include "loop.hpp"

namespace {

// libev, loaded apart from the program: its library also has functions with the names of
// libevent's. If it were linked, the peers on libevent could call those.
struct Library {
  void *handle = dlopen("libev.so.4", RTLD_NOW | RTLD_LOCAL);

#define FUNCTION(name) decltype(&::ev_##name) name = find<decltype(&::ev_##name)>("ev_" #name)
  FUNCTION(loop_new);
  FUNCTION(loop_destroy);
  FUNCTION(run);
  FUNCTION(async_start);
  FUNCTION(async_stop);
  FUNCTION(async_send);
  FUNCTION(idle_start);
  FUNCTION(idle_stop);
  FUNCTION(timer_start);
  FUNCTION(timer_stop);
#undef FUNCTION
  decltype(&::ev_break) break_loop = find<decltype(&::ev_break)>("ev_break");

  template <class Function>
  Function find(const char *name) {
    void *function = handle == nullptr ? nullptr : dlsym(handle, name);
    if (function == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<Function>(function);
  }
};

// Throws if the library cannot be loaded.
const Library &ev() {
  static const Library library;
  return library;
}

struct Loop {
  const Library &library = ev();
  struct ev_loop *loop = library.loop_new(EVFLAG_AUTO);

  Loop() {
    if (loop == nullptr) throw std::runtime_error("ev_loop_new");
  }

  ~Loop() { library.loop_destroy(loop); }
};

struct LibevLoop : Loop {
  ClosureList closures;
  ev_async ready;

  LibevLoop() {
    ev_init(&ready, call);
    ready.data = this;
    library.async_start(loop, &ready);
  }

  ~LibevLoop() { library.async_stop(loop, &ready); }

  template <class Closure>
  void post(Closure &&closure) {
    if (closures.append(std::forward<Closure>(closure))) library.async_send(loop, &ready);
  }

  void run() { library.run(loop, 0); }

  void quit() { library.break_loop(loop, EVBREAK_ONE); }

  static void call(struct ev_loop *, ev_async *async, int) {
    static_cast<LibevLoop *>(async->data)->closures.run();
  }
};

struct LibevIdle : Loop {
  ev_idle idle;
  uint64_t ticked = 0;
  uint64_t last = 0;

  LibevIdle() {
    ev_init(&idle, tick);
    idle.data = this;
    library.idle_start(loop, &idle);
  }

  ~LibevIdle() { library.idle_stop(loop, &idle); }

  void run(uint32_t count) {
    last = ticked + count;
    library.run(loop, 0);
  }

  static void tick(struct ev_loop *loop, ev_idle *idle, int) {
    auto peer = static_cast<LibevIdle *>(idle->data);
    if (++peer->ticked == peer->last) peer->library.break_loop(loop, EVBREAK_ONE);
  }
};

struct LibevTimers : Loop {
  std::deque<ev_timer> pending;
  ev_timer timer;
  uint64_t cancelled = 0;
  uint64_t fired = 0;

  ~LibevTimers() {
    for (auto &timer : pending) library.timer_stop(loop, &timer);
  }

  void arm(uint64_t delay) { start(pending.emplace_back(), delay); }

  void pair(uint64_t delay) {
    start(timer, delay);
    if (!ev_is_active(&timer)) return;
    library.timer_stop(loop, &timer);
    cancelled++;
  }

  void start(ev_timer &timer, uint64_t delay) {
    ev_timer_init(&timer, fire, static_cast<double>(delay) / 1000, 0);
    timer.data = this;
    library.timer_start(loop, &timer);
  }

  void tick() { library.run(loop, EVRUN_NOWAIT); }

  static void fire(struct ev_loop *, ev_timer *timer, int) {
    static_cast<LibevTimers *>(timer->data)->fired++;
  }
};

}  // namespace

const cp_timers cp_libev_timers = TimerFunctions<LibevTimers>::table();

const cp_loop cp_libev = LoopFunctions<LibevLoop>::table();

const cp_idle cp_libev_idle = IdleFunctions<LibevIdle>::table();
