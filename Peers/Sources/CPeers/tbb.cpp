#if !__has_include(<oneapi/tbb/task_arena.h>)
#error "oneTBB is missing; install it with: apt-get install libtbb-dev"
#endif

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "loop.hpp"

namespace {

// An arena for each priority. The arenas share the threads of the process.
struct TBBPool {
  // oneTBB counts the thread that calls it, which runs no function.
  tbb::global_control limit;
  tbb::task_scheduler_handle scheduler{tbb::attach{}};
  tbb::task_arena low;
  tbb::task_arena normal;
  tbb::task_arena high;
  // For calls that the calling thread shares, which needs a slot of its own.
  tbb::task_arena shared;

  explicit TBBPool(uint32_t threads)
      : limit(tbb::global_control::max_allowed_parallelism, threads + 1),
        low(static_cast<int>(threads), 0, tbb::task_arena::priority::low),
        normal(static_cast<int>(threads), 0, tbb::task_arena::priority::normal),
        high(static_cast<int>(threads), 0, tbb::task_arena::priority::high),
        shared(static_cast<int>(threads) + 1, 1) {}

  // Waits for the threads, which may not have left their last functions.
  ~TBBPool() {
    shared.terminate();
    high.terminate();
    normal.terminate();
    low.terminate();
    tbb::finalize(scheduler, std::nothrow);
  }

  static void add(void *peer, cp_function function, void *context, int urgency) {
    auto pool = static_cast<TBBPool *>(peer);
    auto &arena = urgency > 0 ? pool->high : urgency < 0 ? pool->low : pool->normal;
    arena.enqueue([function, context] { function(context); });
  }

  static void apply(void *peer, uint32_t count, cp_function function, void *context) {
    static_cast<TBBPool *>(peer)->shared.execute([=] {
      tbb::parallel_for(uint32_t{0}, count, [=](uint32_t) { function(context); });
    });
  }

  static void apply_group(void *peer, uint32_t count, cp_function function, void *context) {
    static_cast<TBBPool *>(peer)->shared.execute([=] {
      tbb::task_group group;
      for (uint32_t index = 0; index < count; index++) group.run([=] { function(context); });
      group.wait();
    });
  }
};

}  // namespace

const cp_pool cp_tbb = {open_peer<TBBPool, uint32_t>, TBBPool::add, TBBPool::apply,
                        close_peer<TBBPool>};
const cp_pool cp_tbb_group = {open_peer<TBBPool, uint32_t>, TBBPool::add, TBBPool::apply_group,
                              close_peer<TBBPool>};
