// Prints how much longer a tick takes while it is reported. The figures of
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
  func run(_ count: Int) -> Int {
    left = count
    let start = loop.now
    next()
    loop.run()
    return Int((start.duration(to: loop.now) / .nanoseconds(count)).rounded())
  }

  private func next() {
    guard left > 0 else { return }
    left -= 1
    loop.post { self.next() }
    for _ in 0..<closures { loop.post {} }
  }
}

/// Measures ticks with `closures` closures, without a handler and with one, in
/// turn.
@MainActor
func measure(rounds: Int, ticks: Int, closures: Int) throws {
  let loop = try EventLoop()
  let chain = Chain(on: loop, closures: closures)
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
  try loop.close()
  let middle = rounds / 2
  let times = "\(without.sorted()[middle]) ns without, \(with.sorted()[middle]) ns with"
  print("\(closures + 1) posts: \(times), \(more[middle]) more (\(more[0]) to \(more[rounds - 1]))")
}

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let ticks = (arguments.first ?? 20) * 1000
for closures in arguments.dropFirst() { try measure(rounds: 15, ticks: ticks, closures: closures) }
