// Shared by TickReportCost and TraceCost, which measure how much longer ticks take while
// they are observed.

import CUV
import LoopTransactions

/// Ticks that each run some empty posts.
///
/// An idle handle makes them, because a chain of posts runs many times a tick.
@MainActor
package final class IdleTicks {
  private let loop: EventLoop
  private let posts: Int
  private var left = 0
  private let idle = UnsafeMutablePointer<uv_idle_t>.allocate(capacity: 1)

  /// Creates ticks with `posts` posts each.
  package init(on loop: EventLoop, posts: Int) {
    self.loop = loop
    self.posts = posts
    uv_idle_init(loop.libuvLoop.assumingMemoryBound(to: uv_loop_t.self), idle)
    idle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
  }

  /// Makes `count` ticks, and returns the nanoseconds that one took.
  package func run(_ count: Int) -> Double {
    left = count
    let start = loop.now
    uv_idle_start(idle, beginTick)
    loop.run()
    return start.duration(to: loop.now) / .nanoseconds(count)
  }

  fileprivate func next() {
    if left == 0 {
      uv_idle_stop(idle)
      return
    }
    left -= 1
    for _ in 0..<posts { loop.post {} }
  }

  /// Closes the handle, which must be done before the loop is closed.
  package func close() {
    idle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
      uv_close(handle) { UnsafeMutableRawPointer($0)?.deallocate() }
    }
    loop.run()
  }
}

private func beginTick(_ idle: UnsafeMutablePointer<uv_idle_t>?) {
  guard let data = idle?.pointee.data else { return }
  let ticks = Unmanaged<IdleTicks>.fromOpaque(data).takeUnretainedValue()
  MainActor.assumeIsolated { ticks.next() }
}

/// The nanoseconds that one tick or operation took in each round, unobserved and observed.
package struct Rounds {
  private var without: [Double] = []
  private var with: [Double] = []

  /// Creates no rounds.
  package init() {}

  /// Adds a round.
  package mutating func add(without: Double, with: Double) {
    self.without.append(without)
    self.with.append(with)
  }

  /// The differences within the rounds, each divided by `count`.
  package func more(by count: Int = 1) -> [Double] {
    zip(with, without).map { ($0 - $1) / Double(count) }
  }

  /// The medians.
  package var times: String { "\(middle(without)) ns without, \(middle(with)) ns with" }
}

/// The median, lowest and highest of `values`, with one decimal.
package func range(_ values: [Double]) -> String {
  let tenths = values.sorted().map { ($0 * 10).rounded() / 10 }
  return "\(tenths[tenths.count / 2]) (\(tenths[0]) to \(tenths[tenths.count - 1]))"
}

private func middle(_ values: [Double]) -> Int { Int(values.sorted()[values.count / 2]) }
