// Makes the table of a loop from a class.
#ifndef LOOP_HPP
#define LOOP_HPP

#include <functional>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "cpeers.h"

// Opens an object of a peer. A constructor throws if the library cannot open it.
template <class Peer, class... Arguments>
void *open_peer(Arguments... arguments) noexcept {
  try {
    return new Peer(arguments...);
  } catch (...) {
    return nullptr;
  }
}

template <class Peer>
void close_peer(void *peer) {
  delete static_cast<Peer *>(peer);
}

// The functions of a `Loop`, which has `post` for any closure, `run`, and `quit`, which
// makes `run` return and is called on the loop.
template <class Loop>
struct LoopFunctions {
  static void post(void *loop, cp_function function, void *context) {
    static_cast<Loop *>(loop)->post([function, context] { function(context); });
  }

  static void post_many(void *loop, uint32_t count, cp_function function, void *context) {
    for (uint32_t i = 0; i < count; i++) post(loop, function, context);
  }

  static void run(void *loop) { static_cast<Loop *>(loop)->run(); }

  // Posted, so that it also ends a run that begins later.
  static void stop(void *loop) {
    auto peer = static_cast<Loop *>(loop);
    peer->post([peer] { peer->quit(); });
  }

  static constexpr cp_loop table() {
    return {open_peer<Loop>, post, post_many, run, stop, close_peer<Loop>};
  }
};

// Closures under a mutex, which a loop swaps out and runs.
class ClosureList {
 public:
  // Returns whether the list was empty, so the loop must be woken.
  template <class Closure>
  bool append(Closure &&closure) {
    std::lock_guard guard(mutex);
    bool was_empty = pending.empty();
    pending.emplace_back(std::forward<Closure>(closure));
    return was_empty;
  }

  // Runs the closures that are in the list. Call on the loop.
  void run() {
    {
      std::lock_guard guard(mutex);
      pending.swap(running);
    }
    for (auto &closure : running) closure();
    running.clear();
  }

 private:
  std::mutex mutex;
  std::vector<std::function<void()>> pending;  // under `mutex`
  std::vector<std::function<void()>> running;  // loop only; keeps its memory
};

// The functions of an idle loop, which has `run(count)` and `ticked`.
template <class Loop>
struct IdleFunctions {
  static uint64_t ticks(void *loop, uint32_t count) {
    uint64_t began = cp_now();
    static_cast<Loop *>(loop)->run(count);
    return cp_now() - began;
  }

  static uint64_t ticked(const void *loop) { return static_cast<const Loop *>(loop)->ticked; }

  static constexpr cp_idle table() {
    return {open_peer<Loop>, ticks, ticked, close_peer<Loop>};
  }
};

// The functions of a class of timers, which has `arm(delay)` for a timer that stays pending,
// `pair(delay)` for one that is armed and cancelled, `tick()`, `cancelled` and `fired`.
template <class Timers>
struct TimerFunctions {
  Timers timers;
  std::vector<uint64_t> delays;

  TimerFunctions(const uint64_t *delays, uint32_t count) : delays(delays, delays + count) {
    for (uint64_t delay : this->delays) timers.arm(delay);
  }

  static uint64_t cycle(void *peer, uint32_t pairs) {
    auto self = static_cast<TimerFunctions *>(peer);
    uint64_t began = cp_now();
    for (uint32_t i = 0; i < pairs; i++) self->timers.pair(self->delays[i]);
    self->timers.tick();
    return cp_now() - began;
  }

  static uint64_t cancelled(const void *peer) {
    return static_cast<const TimerFunctions *>(peer)->timers.cancelled;
  }

  static uint64_t fired(const void *peer) {
    return static_cast<const TimerFunctions *>(peer)->timers.fired;
  }

  static constexpr cp_timers table() {
    return {open_peer<TimerFunctions, const uint64_t *, uint32_t>, cycle, cancelled, fired,
            close_peer<TimerFunctions>};
  }
};

#endif
