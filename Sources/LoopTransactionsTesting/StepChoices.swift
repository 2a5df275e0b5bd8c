import LoopTransactions

/// A step that a stepped loop can take, as far as `OrderExploration` must tell
/// steps apart.
enum StepMove: Hashable {
  /// A worker of a scheduler dequeues an operation. `isAging` is true if the
  /// worker leaves the aging slot.
  case begin(scheduler: Int, isAging: Bool)
  /// A worker of a scheduler without queued operations goes to sleep.
  case rest(scheduler: Int, isAging: Bool)
  /// A tick, or a step that runs an operation.
  case other

  /// The scheduler whose queue the step uses. Nil if the step runs code of the
  /// test.
  var scheduler: Int? {
    switch self {
    case .begin(let scheduler, _), .rest(let scheduler, _): scheduler
    case .other: nil
    }
  }

  /// The same step of a worker that leaves the aging slot, or that does not.
  var twin: StepMove {
    switch self {
    case .begin(let scheduler, let isAging): .begin(scheduler: scheduler, isAging: !isAging)
    case .rest(let scheduler, let isAging): .rest(scheduler: scheduler, isAging: !isAging)
    case .other: .other
    }
  }
}

/// Decides which of several possible steps comes next, and records the
/// decisions.
///
/// Everything that varies between runs of a stepped test is a decision: the
/// steps, the order of timers that are due at the same instant, and how long
/// operations take.
final class StepChoices {
  /// The decisions so far: each is the index of the possibility, or the
  /// nanoseconds above the shortest duration.
  private(set) var path: [Int] = []
  /// Visits every order, or nil.
  let exploration: OrderExploration?

  private let script: [Int]
  private var generator: SeededGenerator?

  /// The decisions of the script that were not needed yet.
  var unused: ArraySlice<Int> { script.dropFirst(path.count) }

  /// Creates choices that follow `script`. After its end, a generator with
  /// `seed` chooses, or the first possibility is chosen if `seed` is nil.
  init(script: [Int] = [], seed: UInt64? = nil) {
    for (position, choice) in script.enumerated() {
      require(
        choice >= 0,
        """
        SteppedLoop.init: choices[\(position)] must not be negative, got \(choice); pass the \
        choices of a run of the same test
        """
      )
    }
    self.script = script
    exploration = nil
    generator = seed.map(SeededGenerator.init)
  }

  /// Creates the choices of the next run of `exploration`.
  init(exploration: OrderExploration) {
    script = []
    self.exploration = exploration
  }

  /// Returns a number below `count`.
  func choose(_ count: Int) -> Int {
    decide(upTo: count - 1) { $0.choose(count, stride: 1) }
  }

  /// Returns a duration in `range`, in nanoseconds. An exploration tries the two
  /// bounds.
  func choose(in range: ClosedRange<UInt64>) -> UInt64 {
    let span = Int(clamping: range.upperBound - range.lowerBound)
    return range.lowerBound + UInt64(decide(upTo: span) { $0.choose(2, stride: span) })
  }

  /// Returns the index of one of `moves`.
  ///
  /// - Parameter commutes: Whether the loop takes steps until it is idle, so
  ///   that the order of independent steps makes no difference.
  func choose(among moves: [StepMove], commutes: Bool) -> Int {
    if moves.count == 1 {
      exploration?.take(moves[0], commutes: commutes)
      return 0
    }
    return decide(upTo: moves.count - 1) { $0.choose(among: moves, commutes: commutes) }
  }

  private func decide(upTo last: Int, explore: (OrderExploration) -> Int) -> Int {
    // A loop without a seed records nothing, so that a long run takes no memory.
    guard last > 0, exploration != nil || generator != nil || !script.isEmpty else { return 0 }
    var index = 0
    if let exploration {
      index = explore(exploration)
    } else if path.count < script.count {
      index = next(upTo: last)
    } else if var random = generator {
      index = Int.random(in: 0...last, using: &random)
      generator = random
    }
    path.append(index)
    return index
  }

  /// The next decision of the script.
  private func next(upTo last: Int) -> Int {
    let (position, choice) = (path.count, script[path.count])
    require(
      choice <= last,
      """
      SteppedLoop: choices[\(position)] must be from 0 to \(last) in this run, got \(choice); \
      pass the choices of a run of the same test
      """
    )
    return choice
  }
}
