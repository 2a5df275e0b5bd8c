import LoopTransactions
import TestSupport

/// For each main-actor task, the activities it iterates over, and the number of
/// times it leaves the actor for each activity.
private let tasks: [(wanted: EventLoop.Activity, visits: Int)] = [
  (.beforeWaiting, 0), (.beforeWaiting, 1), (.beforeWaiting, 2), (.afterWaiting, 0),
  (.afterWaiting, 2), ([.beforeWaiting, .afterWaiting], 2),
]

/// Begins a task that iterates over `wanted`, and leaves the actor `visits`
/// times for each activity. Returns the number of activities it receives.
@MainActor
private func begin(
  on loop: EventLoop,
  _ wanted: EventLoop.Activity,
  _ visits: Int
) -> Tally {
  let (told, activities, away) = (Tally(), loop.activities(wanted), Away())
  Task { @MainActor in
    for await _ in activities {
      told.increment()
      for _ in 0..<visits { await away.visit() }
    }
  }
  return told
}

/// Runs main-actor tasks that iterate over the loop's activities. From time to
/// time a timer fires, and nothing else happens.
@MainActor
func activities() throws {
  for (wanted, visits) in tasks {
    let loop = try EventLoop()
    let bridge = try MainQueueBridge(on: loop)
    let told = begin(on: loop, wanted, visits)
    loop.run(until: loop.now.advanced(by: .milliseconds(50)))
    let timer = loop.addTimer(after: .milliseconds(20), every: .milliseconds(20)) { _ in }
    let (before, toldBefore) = (loop.metrics.ticks, told.value)
    loop.run(until: loop.now.advanced(by: .milliseconds(210)))
    let (ticks, tellings) = (loop.metrics.ticks - before, told.value - toldBefore)
    // Each firing causes a tick. Each block that it leads to may cause another
    // tick.
    print("ticks \(ticks <= 50 + 20 * UInt64(visits)), told \((2...25).contains(tellings))")
    timer.cancel()
    bridge.cancel()
    try loop.close()
  }
}

/// Runs the same tasks on a loop that a host runs in turns. Like a host, makes
/// a turn only if one is due.
@MainActor
func embeddedActivities() throws {
  for (wanted, visits) in tasks {
    let loop = try EventLoop()
    let bridge = try MainQueueBridge(on: loop)
    let embedding = Embedding(loop)
    let told = begin(on: loop, wanted, visits)
    var turns = turn(embedding) { true }
    for _ in 0..<5 {
      loop.commit(Nothing(), Nothing.perform)
      let next = told.value + 1
      turns += turn(embedding) { told.value >= next }
    }
    let most = 30 + 10 * visits
    print("turns \(turns <= most), told \((5...15).contains(told.value))")
    embedding.cancel()
    bridge.cancel()
    try loop.close()
  }
}

/// Runs turns like a host until `isTold` returns true and nothing happens for a
/// while. Returns the number of turns.
private func turn(_ embedding: Embedding, until isTold: () -> Bool) -> Int {
  for turns in 0..<1000 {
    let patience: Duration = isTold() ? .milliseconds(20) : .seconds(10)
    let timeout = min(embedding.nextTimeout ?? patience, patience)
    if !waitFor(embedding.pollDescriptor, timeout), embedding.nextTimeout != .zero { return turns }
    embedding.turn()
  }
  return 1000
}

private actor Away {
  // The method must have an effect. Otherwise the optimiser removes both hops.
  private var visits = 0

  func visit() { visits += 1 }
}

private final class Nothing {
  static let perform = Selector<Nothing>("nothing") { _ in }
}
