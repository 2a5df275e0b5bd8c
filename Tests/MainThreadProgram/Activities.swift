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
    let (before, toldBefore) = (loop.metrics.ticks, told.value)
    var firings = 0
    let timer = loop.addTimer(after: .milliseconds(20), every: .milliseconds(20)) { _ in
      firings += 1
      if told.value - toldBefore >= 5 { loop.stop() }
    }
    loop.run(until: loop.now.advanced(by: .seconds(10)))
    let (ticks, tellings) = (Int(loop.metrics.ticks - before), told.value - toldBefore)
    // Each firing causes a tick. Each block that it leads to may cause another
    // tick.
    let (mostTicks, mostTellings) = (firings * (5 + 2 * visits), firings * 5 / 2)
    print("ticks \(ticks <= mostTicks), told \(5 <= tellings && tellings <= mostTellings)")
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
    var (turns, commits) = (turn(embedding) { true }, 0)
    for _ in 0..<5 {
      let next = told.value + 1
      // A task that has not returned from its last visit misses the commit's
      // activity.
      for _ in 0..<100 where told.value < next {
        commits += 1
        loop.commit(Nothing(), Nothing.perform)
        turns += turn(embedding) { told.value >= next }
      }
    }
    let most = commits * (6 + 2 * visits)
    print("turns \(turns <= most), told \((5...(3 * commits)).contains(told.value))")
    embedding.cancel()
    bridge.cancel()
    try loop.close()
  }
}

/// Runs turns like a host until `isTold` returns true and nothing happens for a
/// while. Returns the number of turns.
private func turn(_ embedding: Embedding, until isTold: () -> Bool) -> Int {
  for turns in 0..<1000 {
    let patience: Duration = isTold() ? .milliseconds(20) : .milliseconds(200)
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
