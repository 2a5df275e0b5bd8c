// Prints how much longer ticks and operations take while they are traced. The figures of
// docs/performance.md are from this program. Build it with `-c release`.
//
// Arguments: 1 0 15 63

import LoopTransactions

/// A tick that posts its successor and some empty closures.
@MainActor
final class Chain {
  private let loop: EventLoop
  private let closures: Int
  private var left = 0

  init(on loop: EventLoop, closures: Int) {
    self.loop = loop
    self.closures = closures
  }

  /// Makes `count` ticks, and returns the nanoseconds that one took.
  func run(_ count: Int) -> Double {
    left = count
    let start = loop.now
    next()
    loop.run()
    return start.duration(to: loop.now) / .nanoseconds(count)
  }

  private func next() {
    guard left > 0 else { return }
    left -= 1
    loop.post { self.next() }
    for _ in 0..<closures { loop.post {} }
  }
}

/// Measures ticks with `closures` closures, without a trace and with one, in
/// turn.
@MainActor
func measure(rounds: Int, ticks: Int, closures: Int) throws {
  let loop = try EventLoop()
  let chain = Chain(on: loop, closures: closures)
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
  try loop.close()
  // A tick has two events, and a post has one when it is made and one when it
  // runs.
  let events = Double(2 + 2 * (closures + 1))
  let more = zip(with, without).map { ($0 - $1) / events }.sorted()
  let middle = rounds / 2
  let (before, after) = (Int(without.sorted()[middle]), Int(with.sorted()[middle]))
  func tenths(_ time: Double) -> Double { (time * 10).rounded() / 10 }
  print(
    "\(closures + 1) posts: \(before) ns without, \(after) ns with, an event takes",
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
for closures in arguments.dropFirst() { try measure(rounds: 15, ticks: ticks, closures: closures) }
try measureOperations(rounds: 15, count: ticks)
