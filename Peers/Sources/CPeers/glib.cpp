#if !__has_include(<glib.h>)
#error "GLib is missing; install it with: apt-get install libglib2.0-dev"
#endif

#include <glib.h>

#include "loop.hpp"

namespace {

struct GLibLoop {
  GMainContext *context = g_main_context_new();
  GMainLoop *loop = g_main_loop_new(context, FALSE);

  ~GLibLoop() {
    g_main_loop_unref(loop);
    g_main_context_unref(context);
  }

  // A source for each closure, as g_main_context_invoke attaches from another thread. On
  // the loop's own thread that function would call the closure at once.
  template <class Closure>
  void post(Closure &&closure) {
    using Stored = std::decay_t<Closure>;
    GSource *source = g_idle_source_new();
    g_source_set_priority(source, G_PRIORITY_DEFAULT);
    g_source_set_callback(source, call<Stored>, new Stored(std::forward<Closure>(closure)),
                          release<Stored>);
    g_source_attach(source, context);
    g_source_unref(source);
  }

  void run() { g_main_loop_run(loop); }

  void quit() { g_main_loop_quit(loop); }

  template <class Closure>
  static gboolean call(void *closure) {
    (*static_cast<Closure *>(closure))();
    return G_SOURCE_REMOVE;
  }

  template <class Closure>
  static void release(void *closure) {
    delete static_cast<Closure *>(closure);
  }
};

struct GLibIdle {
  GMainContext *context = g_main_context_new();
  GMainLoop *loop = g_main_loop_new(context, FALSE);
  GSource *idle = g_idle_source_new();
  uint64_t ticked = 0;
  uint64_t last = 0;

  GLibIdle() {
    g_source_set_callback(idle, tick, this, nullptr);
    g_source_attach(idle, context);
  }

  ~GLibIdle() {
    g_source_destroy(idle);
    g_source_unref(idle);
    g_main_loop_unref(loop);
    g_main_context_unref(context);
  }

  void run(uint32_t count) {
    last = ticked + count;
    g_main_loop_run(loop);
  }

  static gboolean tick(void *context) {
    auto peer = static_cast<GLibIdle *>(context);
    if (++peer->ticked == peer->last) g_main_loop_quit(peer->loop);
    return G_SOURCE_CONTINUE;
  }
};

struct GLibTimers {
  GMainContext *context = g_main_context_new();
  std::vector<GSource *> pending;
  uint64_t cancelled = 0;
  uint64_t fired = 0;

  ~GLibTimers() {
    for (auto source : pending) {
      g_source_destroy(source);
      g_source_unref(source);
    }
    g_main_context_unref(context);
  }

  void arm(uint64_t delay) { pending.push_back(attach(delay)); }

  void pair(uint64_t delay) {
    GSource *source = attach(delay);
    g_source_destroy(source);
    cancelled++;
    g_source_unref(source);
  }

  GSource *attach(uint64_t delay) {
    GSource *source = g_timeout_source_new(static_cast<guint>(delay));
    g_source_set_callback(source, fire, this, nullptr);
    g_source_attach(source, context);
    return source;
  }

  void tick() { g_main_context_iteration(context, FALSE); }

  static gboolean fire(void *timers) {
    static_cast<GLibTimers *>(timers)->fired++;
    return G_SOURCE_REMOVE;
  }
};

}  // namespace

const cp_timers cp_glib_timers = TimerFunctions<GLibTimers>::table();

const cp_loop cp_glib = LoopFunctions<GLibLoop>::table();

const cp_idle cp_glib_idle = IdleFunctions<GLibIdle>::table();
