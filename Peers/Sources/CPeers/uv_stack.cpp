#include <uv.h>

#include <atomic>
#include <stdexcept>

#include "loop.hpp"

namespace {

// libuv with a lock-free stack of nodes, which the loop takes whole and reverses.
struct StackLoop {
  struct Node {
    std::function<void()> closure;
    Node *next;
  };

  uv_loop_t loop;
  uv_async_t ready;
  std::atomic<Node *> top{nullptr};

  StackLoop() {
    if (uv_loop_init(&loop) != 0) throw std::runtime_error("uv_loop_init");
    ready.data = this;
    if (uv_async_init(&loop, &ready, call) == 0) return;
    uv_loop_close(&loop);
    throw std::runtime_error("uv_async_init");
  }

  ~StackLoop() {
    uv_close(reinterpret_cast<uv_handle_t *>(&ready), nullptr);
    while (uv_loop_close(&loop) == UV_EBUSY) uv_run(&loop, UV_RUN_NOWAIT);
  }

  template <class Closure>
  void post(Closure &&closure) {
    Node *node = new Node{std::forward<Closure>(closure), nullptr};
    Node *before = top.load(std::memory_order_relaxed);
    // Release: pairs with the acquire in `call`, which then reads the node.
    do node->next = before;
    while (!top.compare_exchange_weak(before, node, std::memory_order_release,
                                      std::memory_order_relaxed));
    if (before == nullptr) uv_async_send(&ready);
  }

  void run() { uv_run(&loop, UV_RUN_DEFAULT); }

  void quit() { uv_stop(&loop); }

  static void call(uv_async_t *async) {
    auto peer = static_cast<StackLoop *>(async->data);
    // Acquire: pairs with the release in `post`.
    Node *node = peer->top.exchange(nullptr, std::memory_order_acquire);
    Node *first = nullptr;
    while (node != nullptr) {
      Node *next = node->next;
      node->next = first;
      first = node;
      node = next;
    }
    while (first != nullptr) {
      Node *next = first->next;
      first->closure();
      delete first;
      first = next;
    }
  }
};

}  // namespace

const cp_loop cp_uv_stack = LoopFunctions<StackLoop>::table();
