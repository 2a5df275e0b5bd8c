import LoopTransactions

/// Plants one hold after the other in a loop, and compares the watchdog's reports
/// with the truth. Belongs to the loop.
final class Lab {
  /// The outcome of one plant.
  struct Result: Sendable {
    var plant: Plant
    var isFound: Bool
    var isNamed = false
    var isClassified = false
    var isMeasured = false
    var hasStack = false
    var description = "not reported"

    var isRight: Bool { isFound && isNamed && isClassified && isMeasured && hasStack }
  }

  /// The outcomes of all plants, and the reports that no plant explains.
  struct Outcome: Sendable {
    var results: [Result] = []
    var unexpected: [String] = []

    /// The number of wrong results and of unexpected reports.
    var wrong: Int { results.count { !$0.isRight } + unexpected.count }
  }

  private let loop: EventLoop
  private let end: (Outcome) -> Void
  private var remaining: [Plant]
  private var outcome = Outcome()
  // The reports of the current hold while it lasted.
  private var early = 0
  private var truth: Plant.Truth?
  private var began: LoopClock.Instant?
  private var length = Duration.zero
  private var limit: LoopTimer?

  /// Plants each kind `rounds` times, then calls `end` on the loop.
  init(on loop: EventLoop, rounds: Int, _ end: @escaping (Outcome) -> Void) throws {
    (self.loop, self.end) = (loop, end)
    remaining = (0..<rounds).flatMap { _ in Plant.allCases }
    // One tick runs all pieces of a plant.
    loop.budget = .unlimited
    let (port, lab) = (loop.port, LoopBound(self, on: loop))
    loop.watchdog = try LoopWatchdog(
      threshold: .milliseconds(20),
      capturesStacks: true
    ) { hold in
      guard hold.isOver else {
        try? port.post { lab.withValue { $0.early += 1 } }
        return
      }
      // Not on the loop, because it runs another program.
      let stack = hold.stackDescription()
      try? port.post { lab.withValue { $0.judge(hold, stack) } }
    }
    plantLater()
  }

  private func plantLater() {
    // After the last plant, longer than the watchdog takes for another report.
    let pause = Duration.milliseconds(remaining.isEmpty ? 200 : 5)
    loop.addTimer(after: pause) { _ in self.plantNext() }
  }

  private func plantNext() {
    guard !remaining.isEmpty else {
      loop.watchdog = nil
      return end(outcome)
    }
    began = nil
    truth = remaining[0].plant(
      on: loop,
      began: { self.began = self.loop.now },
      ended: { self.planted() }
    )
  }

  private func planted() {
    length = began.map { $0.duration(to: loop.now) } ?? .zero
    limit = loop.addTimer(after: .seconds(2)) { _ in
      self.add(Result(plant: self.remaining[0], isFound: false))
    }
  }

  private func judge(_ hold: LoopHold, _ stack: String) {
    guard let truth, limit != nil else {
      outcome.unexpected.append("\(hold); stack:\n\(stack)")
      early = 0
      return
    }
    if early != 1 { outcome.unexpected.append("\(early) reports while it lasted: \(hold)") }
    let error = hold.duration - length
    let result = Result(
      plant: remaining[0],
      isFound: true,
      isNamed: "\(hold.work)" == truth.work && hold.isOnePiece == truth.isOnePiece,
      isClassified: truth.cause(hold.cause),
      isMeasured: abs(error / .milliseconds(1)) <= max(1, 0.05 * (length / .milliseconds(1))),
      hasStack: truth.stack(stack),
      description: "\(hold); planted: \(truth.work), \(length); stack:\n\(stack)"
    )
    add(result)
  }

  private func add(_ result: Result) {
    limit?.cancel()
    limit = nil
    truth = nil
    early = 0
    outcome.results.append(result)
    remaining.removeFirst()
    plantLater()
  }
}
