// Prints how much longer a tick takes while it is reported. The figures of
// docs/performance.md are from this program. Build it with `-c release`.
//
// Arguments: 1 0 1 16 64

import CUV
import LoopTransactions

/// Ticks that each run some empty posts.
///
/// An idle handle makes them, because a chain of posts runs many times a tick.
@MainActor
final class Chain {
  private let loop: EventLoop
  private let posts: Int
  private var left = 0
  private let idle = UnsafeMutablePointer<uv_idle_t>.allocate(capacity: 1)

  init(on loop: EventLoop, posts: Int) {
    self.loop = loop
    self.posts = posts
    uv_idle_init(loop.libuvLoop.assumingMemoryBound(to: uv_loop_t.self), idle)
    idle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
  }

  /// Makes `count` ticks, and returns the nanoseconds that one took.
  func run(_ count: Int) -> Int {
    left = count
    let start = loop.now
    uv_idle_start(idle, beginTick)
    loop.run()
    return Int((start.duration(to: loop.now) / .nanoseconds(count)).rounded())
  }

  func next() {
    if left == 0 {
      uv_idle_stop(idle)
      return
    }
    left -= 1
    for _ in 0..<posts { loop.post {} }
  }

  /// Closes the handle, which must be done before the loop is closed.
  func close() {
    idle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
      uv_close(handle) { UnsafeMutableRawPointer($0)?.deallocate() }
    }
    loop.run()
  }
}

func beginTick(_ idle: UnsafeMutablePointer<uv_idle_t>?) {
  guard let data = idle?.pointee.data else { return }
  let chain = Unmanaged<Chain>.fromOpaque(data).takeUnretainedValue()
  MainActor.assumeIsolated { chain.next() }
}

/// Measures ticks with `posts` posts, without a handler and with one, in
/// turn.
@MainActor
func measure(rounds: Int, ticks: Int, posts: Int) throws {
  let loop = try EventLoop()
  let chain = Chain(on: loop, posts: posts)
  var late = 0
  var (without, with): ([Int], [Int]) = ([], [])
  _ = chain.run(ticks)
  for _ in 0..<rounds {
    loop.tickHandler = nil
    without.append(chain.run(ticks))
    loop.tickHandler = { if $0.duration > .seconds(1) { late += 1 } }
    with.append(chain.run(ticks))
  }
  let more = zip(with, without).map { $0 - $1 }.sorted()
  chain.close()
  try loop.close()
  let middle = rounds / 2
  let times = "\(without.sorted()[middle]) ns without, \(with.sorted()[middle]) ns with"
  print("\(posts) posts: \(times), \(more[middle]) more (\(more[0]) to \(more[rounds - 1]))")
}

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let ticks = (arguments.first ?? 20) * 1000
for posts in arguments.dropFirst() { try measure(rounds: 15, ticks: ticks, posts: posts) }
