// Prints how much longer ticks and operations take while they are traced. The figures of
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
  func run(_ count: Int) -> Double {
    left = count
    let start = loop.now
    uv_idle_start(idle, beginTick)
    loop.run()
    return start.duration(to: loop.now) / .nanoseconds(count)
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

/// Measures ticks with `posts` posts, without a trace and with one, in
/// turn.
@MainActor
func measure(rounds: Int, ticks: Int, posts: Int) throws {
  let loop = try EventLoop()
  let chain = Chain(on: loop, posts: posts)
  var (without, with): ([Double], [Double]) = ([], [])
  _ = chain.run(ticks)
  for _ in 0..<rounds {
    without.append(chain.run(ticks))
    let trace = try LoopTrace()
    // The loop's memory is written for the first time.
    _ = chain.run(ticks)
    with.append(chain.run(ticks))
    trace.stop()
    _ = chain.run(1)
  }
  chain.close()
  try loop.close()
  // A tick has two events, and a post has one when it is made and one when it
  // runs.
  let events = Double(2 + 2 * posts)
  let more = zip(with, without).map { ($0 - $1) / events }.sorted()
  let middle = rounds / 2
  let (before, after) = (Int(without.sorted()[middle]), Int(with.sorted()[middle]))
  func tenths(_ time: Double) -> Double { (time * 10).rounded() / 10 }
  print(
    "\(posts) posts: \(before) ns without, \(after) ns with, an event takes",
    "\(tenths(more[middle])) ns (\(tenths(more[0])) to \(tenths(more[rounds - 1])))"
  )
}

/// Measures empty operations of one worker, without a trace and with one, in
/// turn.
@MainActor
func measureOperations(rounds: Int, count: Int) throws {
  let scheduler = OperationScheduler("cost", workerLimit: 1)
  let loop = try EventLoop()
  loop.waitsForPosts = true
  let port = loop.port
  /// Returns the nanoseconds that one operation takes.
  func run() -> Double {
    let start = loop.now
    for _ in 0..<count { scheduler.add { _ in } }
    scheduler.add { _ in port.stop() }
    loop.run()
    return start.duration(to: loop.now) / .nanoseconds(count)
  }
  var (without, with): ([Double], [Double]) = ([], [])
  _ = run()
  for _ in 0..<rounds {
    without.append(run())
    let trace = try LoopTrace()
    // The rings are written for the first time.
    _ = run()
    with.append(run())
    trace.stop()
  }
  try loop.close()
  // An arrow and the counters when it is added, and a span when it runs.
  let more = zip(with, without).map { ($0 - $1) / 4 }.sorted()
  let middle = rounds / 2
  print(
    "operation: \(Int(without.sorted()[middle])) ns without, \(Int(with.sorted()[middle])) ns with,",
    "an event takes \(Int(more[middle])) ns (\(Int(more[0])) to \(Int(more[rounds - 1])))"
  )
}

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let ticks = (arguments.first ?? 20) * 1000
for posts in arguments.dropFirst() { try measure(rounds: 15, ticks: ticks, posts: posts) }
try measureOperations(rounds: 15, count: ticks)
