import LoopTransactions

// The steps.
extension SteppedLoop {
  /// A step of the loop or of a worker.
  fileprivate enum Step {
    case tick
    case work(Int, SteppedWorkers.Step)
  }

  /// When the next timer or operation is due, in nanoseconds.
  var nextDeadline: UInt64? {
    let due = workers.compactMap(\.nextDue).filter { $0 > time.nanoseconds }
    return (due + [time.nextDeadline].compactMap { $0 }).min()
  }

  /// Whether the loop has work for a tick.
  var needsTick: Bool {
    loop.hasWorkOrPosts || (time.nextDeadline.map { $0 <= time.nanoseconds } ?? false)
  }

  /// Takes one of the possible steps. Returns whether it was a tick, or nil if
  /// the loop would block.
  func takeNextStep() -> Bool? {
    // Reading the time checks the thread.
    let now = loop.now.nanoseconds
    // Allocates nothing, so that tests can count the allocations of a tick.
    if workers.isEmpty {
      guard needsTick else { return nil }
      step()
      return true
    }
    noteEffects()
    let steps = possibleSteps(at: now)
    // A worker that can only go to sleep has no work for the loop.
    guard steps.contains(where: { !$0.isRest }) else {
      for workers in workers { workers.rest() }
      return nil
    }
    let index = self.steps.choose(among: steps.map(\.move), commutes: true)
    switch steps[index] {
    case .tick: step()
    case .work(let scheduler, let step): take(step, of: workers[scheduler])
    }
    return steps[index].isTick
  }

  /// Takes a step of `workers`. Returns false if there is none.
  func takeStep(of workers: SteppedWorkers) -> Bool {
    guard !workers.isIdle(at: loop.now.nanoseconds) else { return false }
    // The test may do anything after a single step, so no steps are
    // independent.
    beginEpisode()
    let scheduler = self.workers.firstIndex { $0 === workers } ?? 0
    let steps = workers.steps(at: loop.now.nanoseconds).map { Step.work(scheduler, $0) }
      .filter { !$0.isRest }
    let index = self.steps.choose(among: steps.map(\.move), commutes: false)
    if case .work(_, let step) = steps[index] { take(step, of: workers) }
    return true
  }

  /// Runs the operations that remain when the loop is closed.
  func finishOperations() {
    for workers in workers {
      var count = 0
      while let step = workers.steps(at: .max).first {
        require(
          count < 100_000,
          "SteppedLoop.close: operations remain after \(count) steps; look for endless work"
        )
        count += 1
        take(step, of: workers)
      }
    }
    noteEffects(isLate: true)
    for workers in workers { workers.end() }
  }

  /// The steps that only use a queue come first.
  private func possibleSteps(at now: UInt64) -> [Step] {
    var (requests, others) = ([Step](), needsTick ? [Step.tick] : [])
    for scheduler in workers.indices {
      for step in workers[scheduler].steps(at: now) {
        if case .finish = step {
          others.append(.work(scheduler, step))
        } else {
          requests.append(.work(scheduler, step))
        }
      }
    }
    return requests + others
  }

  /// Takes a step of `workers`. The body of an operation is not on the loop.
  private func take(_ step: SteppedWorkers.Step, of workers: SteppedWorkers) {
    switch step {
    case .begin, .rest: workers.take(step)
    case .finish: loop.core.leavingThread { workers.take(step) }
    }
  }
}

// The effects of steps, for `forEachOrder`.
extension SteppedLoop {
  /// Begins to take steps until the loop is idle.
  func beginEpisode() {
    noteEffects(isLate: true)
    steps.exploration?.beginEpisode()
  }

  /// Tells the exploration the effects of the last step. If `isLate`, the test
  /// itself ran since then, while the loop was idle.
  private func noteEffects(isLate: Bool = false) {
    guard let exploration = steps.exploration else { return }
    var all = StepEffects()
    let didClockMove = time.nanoseconds != lastStep
    for (scheduler, workers) in workers.enumerated() {
      let effects = workers.takeEffects()
      if effects.isChanged || didClockMove && workers.isTimed { all.changed.insert(scheduler) }
      if effects.isInspected || wasInspected { all.inspected.insert(scheduler) }
      if effects.isMixed { all.mixed.insert(scheduler) }
    }
    (wasInspected, lastStep) = (false, time.nanoseconds)
    exploration.note(all, isLate: isLate)
  }
}

extension SteppedLoop.Step {
  fileprivate var isTick: Bool { if case .tick = self { true } else { false } }

  fileprivate var isRest: Bool { if case .work(_, .rest) = self { true } else { false } }

  fileprivate var move: StepMove {
    switch self {
    case .work(let scheduler, .begin(_, let isAging)):
      .begin(scheduler: scheduler, isAging: isAging)
    case .work(let scheduler, .rest(_, let isAging)):
      .rest(scheduler: scheduler, isAging: isAging)
    case .work(_, .finish), .tick: .other
    }
  }
}
