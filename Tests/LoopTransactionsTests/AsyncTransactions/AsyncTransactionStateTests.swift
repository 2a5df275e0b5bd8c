import LoopTransactions
import Testing

/// One thing that happens to an async transaction.
private enum Step: CaseIterable {
  case add, commit, cancel, end, wait, wakeUp, completions
}

/// A transaction whose loop and workers are counted.
private struct ModelTransaction {
  var state = AsyncTransactionState()
  var unended = 0
  /// The loop was told, and has not come round.
  var isTold = false
  var isAsleep = false
  var isWoken = false
  var completed = 0
  var fault: String?
  /// What each worker has yet to do about the last operation it ended.
  var owed: [AsyncTransactionState.Action] = [.none, .none]

  mutating func take(_ step: Step) -> Bool {
    // While its thread sleeps the loop does nothing.
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
    // As between threads: by its word.
    let word = state.word
    state = AsyncTransactionState(word: word)
    if state.word != word || state.unended != unended { fault = "the word does not say it all" }
    check()
    return true
  }

  /// What the loop's thread does next, if it would take `step`.
  mutating func takeOnLoop(_ step: Step) -> Bool {
    guard step != .end else { return false }
    return take(step)
  }

  /// What `worker` does next: it ends an operation, or does what follows from that.
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

  /// Lets everything that can happen by itself happen; whether that completes what
  /// was committed.
  mutating func settle() -> Bool {
    while takeOnWorker(0) || takeOnWorker(1) || take(.wakeUp) || take(.completions) {}
    return completed == (state.phase == .open ? 0 : 1)
  }

  private mutating func perform(_ action: AsyncTransactionState.Action) {
    switch action {
    case .none: break
    case .postToLoop: isTold = true
    case .wakeWaiter:
      if !isAsleep { fault = "nobody sleeps" }
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
    if isDue, !isTold, !isWoken, !isOwed { fault = "ended, and nobody completes it" }
  }
}

/// A step, and the thread that takes it: the loop's, or one of two workers.
private struct Turn {
  let thread: Int
  let step: Step
}

@Suite("AsyncTransactionState")
struct AsyncTransactionStateTests {
  // O6, O9
  @Test("whatever the order: completions come once, after the last operation, and always")
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

  /// An open one with two and with four operations, a committed one, a cancelled one,
  /// one that is awaited, and one whose operations all ended before.
  private static let openings: [[Step]] = [
    [.add, .add],
    [.add, .add, .add, .add],
    [.add, .add, .add, .commit],
    [.add, .add, .add, .commit, .cancel],
    [.add, .add, .add, .commit, .wait],
    [.add, .commit, .end],
  ]

  // O6, O9: the loop's thread and two workers, three steps each. What a worker does
  // about the last end is a step of its own: it may come late.
  @Test("three threads, three steps each: completions come once, whatever the order")
  func everyOrderOfThree() {
    var orders = 0
    for opening in Self.openings {
      var model = ModelTransaction()
      for step in opening { _ = model.take(step) }
      interleave(model, [3, 3, 3], opening.map { Turn(thread: 0, step: $0) }, &orders)
    }
    #expect(orders > 10_000)
  }

  /// Lets each thread take one more step of those it has left, in every order.
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
    Issue.record("\(last.fault ?? "told \(last.completed) times"), after \(order)")
  }

  @Test("a cancel counts until the completions begin, and says whether it is news")
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
