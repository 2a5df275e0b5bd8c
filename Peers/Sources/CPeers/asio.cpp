#if !__has_include(<boost/asio.hpp>)
#error "Boost.Asio is missing; install it with: apt-get install libboost-dev"
#endif

#include <boost/asio.hpp>
#include <chrono>
#include <deque>

#include "loop.hpp"

namespace asio = boost::asio;

namespace {

struct AsioLoop {
  // 1: one thread runs the loop.
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};

  template <class Closure>
  void post(Closure &&closure) {
    asio::post(context, std::forward<Closure>(closure));
  }

  void run() {
    context.restart();
    context.run();
  }

  void quit() { context.stop(); }
};

struct AsioPool {
  asio::thread_pool pool;

  explicit AsioPool(uint32_t threads) : pool(threads) {}

  ~AsioPool() { pool.join(); }

  static void add(void *peer, cp_function function, void *context, int) {
    asio::post(static_cast<AsioPool *>(peer)->pool, [function, context] { function(context); });
  }
};

using Clock = std::chrono::steady_clock;

// A timer that is set again for each due time of an absolute schedule.
struct Schedule {
  asio::io_context context{1};
  asio::steady_timer timer{context};
  uint64_t due;
  uint64_t interval;
  int64_t *lateness;
  uint32_t fired = 0;
  uint32_t count;

  void arm() {
    timer.expires_at(Clock::time_point(std::chrono::nanoseconds(due)));
    timer.async_wait([this](const boost::system::error_code &) { fire(); });
  }

  void fire() {
    lateness[fired++] = static_cast<int64_t>(cp_now() - due);
    due += interval;
    if (fired < count) arm();
  }
};

struct AsioTimers {
  asio::io_context context{1};
  std::deque<asio::steady_timer> pending;
  asio::steady_timer timer{context};
  uint64_t cancelled = 0;
  uint64_t fired = 0;

  void arm(uint64_t delay) { wait(pending.emplace_back(context), delay); }

  void pair(uint64_t delay) {
    wait(timer, delay);
    timer.cancel();
  }

  void wait(asio::steady_timer &timer, uint64_t delay) {
    timer.expires_after(std::chrono::milliseconds(delay));
    timer.async_wait([this](const boost::system::error_code &error) {
      if (error == asio::error::operation_aborted) cancelled++;
      else fired++;
    });
  }

  // Calls the handlers of the cancelled timers.
  void tick() { context.poll(); }
};

}  // namespace

const cp_timers cp_asio_timers = TimerFunctions<AsioTimers>::table();

const cp_loop cp_asio = LoopFunctions<AsioLoop>::table();

const cp_pool cp_asio_pool = {open_peer<AsioPool, uint32_t>, AsioPool::add, nullptr,
                              close_peer<AsioPool>};

int cp_asio_timer_run(uint64_t first, uint64_t interval, int64_t *lateness, uint32_t count) {
  Schedule schedule;
  schedule.due = first;
  schedule.interval = interval;
  schedule.lateness = lateness;
  schedule.count = count;
  schedule.arm();
  schedule.context.run();
  return static_cast<int>(schedule.fired);
}
