// Prints how much longer ticks and operations take while they are traced. The figures of
// docs/performance.md are from this program. Build it with `-c release`.
//
// Arguments: 1 0 1 16 64

import IdleTicks
import LoopTransactions

/// Measures ticks with `posts` posts, without a trace and with one, in
/// turn.
@MainActor
func measure(rounds count: Int, ticks: Int, posts: Int) throws {
  let loop = try EventLoop()
  let chain = IdleTicks(on: loop, posts: posts)
  var rounds = Rounds()
  _ = chain.run(ticks)
  for _ in 0..<count {
    let without = chain.run(ticks)
    let trace = try LoopTrace()
    // The loop's memory is written for the first time.
    _ = chain.run(ticks)
    rounds.add(without: without, with: chain.run(ticks))
    trace.stop()
    _ = chain.run(1)
  }
  chain.close()
  try loop.close()
  // A tick has two events, and a post has one when it is made and one when it
  // runs.
  let events = range(rounds.more(by: 2 + 2 * posts))
  print("\(posts) posts: \(rounds.times), an event takes \(events) ns")
}

/// Measures empty operations of one worker, without a trace and with one, in
/// turn.
@MainActor
func measureOperations(rounds count: Int, operations: Int) throws {
  let scheduler = OperationScheduler("cost", workerLimit: 1)
  let loop = try EventLoop()
  loop.waitsForPosts = true
  let port = loop.port
  /// Returns the nanoseconds that one operation takes.
  func run() -> Double {
    let start = loop.now
    for _ in 0..<operations { scheduler.add { _ in } }
    scheduler.add { _ in port.stop() }
    loop.run()
    return start.duration(to: loop.now) / .nanoseconds(operations)
  }
  var rounds = Rounds()
  _ = run()
  for _ in 0..<count {
    let without = run()
    let trace = try LoopTrace()
    // The rings are written for the first time.
    _ = run()
    rounds.add(without: without, with: run())
    trace.stop()
  }
  try loop.close()
  // An arrow and the counters when it is added, and a span when it runs.
  print("operation: \(rounds.times), an event takes \(range(rounds.more(by: 4))) ns")
}

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let ticks = (arguments.first ?? 20) * 1000
for posts in arguments.dropFirst() { try measure(rounds: 15, ticks: ticks, posts: posts) }
try measureOperations(rounds: 15, operations: ticks)
