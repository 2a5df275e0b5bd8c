import LoopTransactions
import Testing

/// One event in the life of an async transaction.
private enum Step: CaseIterable {
  case add, commit, cancel, end, wait, wakeUp, completions
}

/// A transaction with simple models of its loop and workers.
private struct ModelTransaction {
  var state = AsyncTransactionState()
  var unended = 0
  /// The loop has been notified and has not completed the transaction yet.
  var isTold = false
  var isAsleep = false
  var isWoken = false
  var completed = 0
  var fault: String?
  /// For each worker, the action it still has to perform for the last operation
  /// it ended.
  var owed: [AsyncTransactionState.Action] = [.none, .none]

  mutating func take(_ step: Step) -> Bool {
    // The loop does nothing while its thread sleeps.
    if isAsleep, step != .end, step != .wakeUp { return false }
    switch step {
    case .add:
      guard state.phase == .open else { return false }
      state.add()
      unended += 1
    case .commit:
      guard state.phase == .open else { return false }
      perform(state.commit())
    case .cancel:
      guard state.phase != .open else { return false }
      _ = state.cancel()
    case .end:
      guard unended > 0 else { return false }
      unended -= 1
      perform(state.end())
    case .wait:
      guard state.phase == .committed else { return false }
      isAsleep = state.beginWait()
      if !isAsleep { complete() }
    case .wakeUp:
      guard isAsleep, isWoken else { return false }
      (isAsleep, isWoken) = (false, false)
      state.endWait()
      complete()
    case .completions:
      guard isTold else { return false }
      isTold = false
      complete()
    }
    // Rebuild the state from its word, because threads exchange only the word.
    let word = state.word
    state = AsyncTransactionState(word: word)
    if state.word != word || state.unended != unended { fault = "the word lacks part of the state" }
    check()
    return true
  }

  /// Takes `step` on the loop's thread, if the loop can take it.
  mutating func takeOnLoop(_ step: Step) -> Bool {
    guard step != .end else { return false }
    return take(step)
  }

  /// Takes the next step on `worker`. The worker either ends an operation, or
  /// performs the action that its previous end returned.
  mutating func takeOnWorker(_ worker: Int) -> Bool {
    if owed[worker] != .none {
      perform(owed[worker])
      owed[worker] = .none
    } else {
      guard unended > 0 else { return false }
      unended -= 1
      owed[worker] = state.end()
    }
    check()
    return true
  }

  /// Takes every remaining step of the workers and of the loop. Returns true if
  /// a committed transaction completed once, or an open one did not complete.
  mutating func settle() -> Bool {
    while takeOnWorker(0) || takeOnWorker(1) || take(.wakeUp) || take(.completions) {}
    return completed == (state.phase == .open ? 0 : 1)
  }

  private mutating func perform(_ action: AsyncTransactionState.Action) {
    switch action {
    case .none: break
    case .postToLoop: isTold = true
    case .wakeWaiter:
      if !isAsleep { fault = "the wake went to a waiter that is awake" }
      isWoken = true
    }
  }

  private mutating func complete() {
    guard state.beginCompleting() else { return }
    completed += 1
    if unended > 0 { fault = "completed before its operations ended" }
    state.complete()
  }

  private mutating func check() {
    if completed > 1 { fault = "completed twice" }
    if state.unended != unended { fault = "counts \(state.unended) operations" }
    let isDue = state.phase == .committed && unended == 0
    let isOwed = owed.contains { $0 != .none }
    if isDue, !isTold, !isWoken, !isOwed { fault = "nothing completes the transaction" }
  }
}

/// A step, and the thread that takes it: the loop's or one of two workers.
private struct Turn {
  let thread: Int
  let step: Step
}

@Suite("AsyncTransactionState")
struct AsyncTransactionStateTests {
  // O6, O9
  @Test("completions run once, after the last operation, in every order of steps")
  func everyOrder() {
    var orders = 0
    explore(ModelTransaction(), [], &orders)
    #expect(orders > 10_000)
  }

  private func explore(_ model: ModelTransaction, _ order: [Step], _ orders: inout Int) {
    for step in Step.allCases {
      var next = model
      guard next.take(step) else { continue }
      orders += 1
      let order = order + [step]
      if let fault = next.fault {
        Issue.record("\(fault), after \(order)")
      } else if order.count < 12 {
        explore(next, order, &orders)
      }
    }
  }

  /// The states to start from: open with two and with four operations,
  /// committed, cancelled, awaited, and with all operations already ended.
  private static let openings: [[Step]] = [
    [.add, .add],
    [.add, .add, .add, .add],
    [.add, .add, .add, .commit],
    [.add, .add, .add, .commit, .cancel],
    [.add, .add, .add, .commit, .wait],
    [.add, .commit, .end],
  ]

  // O6, O9. The loop's thread and two workers take three steps each. Ending an
  // operation and performing the resulting action are two steps, because other
  // threads may take steps between them.
  @Test("completions run once in every order of three steps on each of three threads")
  func everyOrderOfThree() {
    var orders = 0
    for opening in Self.openings {
      var model = ModelTransaction()
      for step in opening { _ = model.take(step) }
      interleave(model, [3, 3, 3], opening.map { Turn(thread: 0, step: $0) }, &orders)
    }
    #expect(orders > 10_000)
  }

  /// Takes each thread's remaining steps in every order.
  private func interleave(
    _ model: ModelTransaction,
    _ left: [Int],
    _ order: [Turn],
    _ orders: inout Int
  ) {
    if let fault = model.fault {
      Issue.record("\(fault), after \(order)")
      return
    }
    var isEnd = true
    for (thread, steps) in left.enumerated() where steps > 0 {
      var left = left
      left[thread] -= 1
      for step in thread == 0 ? Step.allCases : [.end] {
        var next = model
        let isTaken = thread == 0 ? next.takeOnLoop(step) : next.takeOnWorker(thread - 1)
        guard isTaken else { continue }
        isEnd = false
        interleave(next, left, order + [Turn(thread: thread, step: step)], &orders)
      }
    }
    guard isEnd else { return }
    orders += 1
    var last = model
    if last.settle(), last.fault == nil { return }
    Issue.record("\(last.fault ?? "completed \(last.completed) times"), after \(order)")
  }

  @Test(
    "cancel() takes effect until the completions begin, and returns whether it changed the state"
  )  // O6
  func cancelCounts() {
    var state = AsyncTransactionState()
    let action = state.commit()
    let news = [state.cancel(), state.cancel()]
    #expect(action == .postToLoop && news == [true, false])
    let begins = state.beginCompleting()
    state.complete()
    let late = [state.cancel(), state.beginCompleting()]
    #expect(begins && late == [false, false])
  }
}
