/// Decides which of several possible steps comes next, and records the
/// decisions.
final class StepChoices {
  /// One decision.
  struct Choice {
    /// The possibility that was chosen.
    var index: Int
    /// The number of possibilities.
    let count: Int
    /// How many possibilities, at the front, only begin an operation. Such a
    /// step commutes with all later steps that leave the queue alone.
    let beginnings: Int
    /// Whether the queue was changed by a caller after the step.
    var isQueueChanged = false
  }

  private(set) var path: [Choice] = []
  /// Whether a decision of the script was not possible.
  private(set) var hasDiverged = false

  private let script: [Int]
  private var generator: SeededGenerator?
  private var interventions: UInt64 = 0
  /// The number of choices, at the front, whose `isQueueChanged` is set. Without
  /// it, a long run would take quadratic time.
  private var changed = 0

  /// Creates choices that follow `script`. After its end, a generator with
  /// `seed` chooses, or the first possibility is chosen if `seed` is nil.
  init(script: [Int] = [], seed: UInt64? = nil) {
    self.script = script
    generator = seed.map(SeededGenerator.init)
  }

  /// Returns a number below `count`.
  func choose(_ count: Int, beginnings: Int = 0) -> Int {
    guard count > 1 else { return 0 }
    var index = 0
    if path.count < script.count {
      index = script[path.count]
      hasDiverged = hasDiverged || !(0..<count).contains(index)
      index = min(max(0, index), count - 1)
    } else if var random = generator {
      index = Int.random(in: 0..<count, using: &random)
      generator = random
    }
    path.append(Choice(index: index, count: count, beginnings: beginnings))
    return index
  }

  /// Returns a duration in `range`, in nanoseconds. Without a seed, one of the
  /// two bounds.
  func choose(in range: ClosedRange<UInt64>) -> UInt64 {
    guard range.lowerBound < range.upperBound else { return range.lowerBound }
    guard path.count >= script.count, var random = generator else {
      return choose(2) == 0 ? range.lowerBound : range.upperBound
    }
    defer { generator = random }
    return UInt64.random(in: range, using: &random)
  }

  /// Records that callers have changed the queues `total` times.
  func note(interventions total: UInt64) {
    guard total != interventions else { return }
    interventions = total
    for index in changed..<path.count { path[index].isQueueChanged = true }
    changed = path.count
  }
}

/// Visits every sequence of choices, depth first.
struct OrderExplorer {
  /// The choices of the next run. Later choices are 0.
  private(set) var script: [Int] = []

  /// Determines the choices of the next run from the choices of the last run.
  /// Returns false if every order was visited.
  mutating func advance(after path: [StepChoices.Choice]) -> Bool {
    var path = path
    while let last = path.popLast() {
      guard let next = Self.next(after: last) else { continue }
      script = path.map(\.index) + [next]
      return true
    }
    return false
  }

  /// Returns the possibility that is visited after that of `choice`, or nil if
  /// the others only repeat orders.
  ///
  /// A worker that begins an operation changes only the queue. If no caller
  /// changed the queue in all runs that continued with such a step, the same
  /// step makes no difference later.
  private static func next(after choice: StepChoices.Choice) -> Int? {
    let next = choice.index + 1
    guard next < choice.count else { return nil }
    if choice.beginnings > 0, next == choice.beginnings, !choice.isQueueChanged { return nil }
    return next
  }
}
