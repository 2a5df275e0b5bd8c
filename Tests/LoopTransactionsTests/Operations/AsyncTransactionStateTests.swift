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
      isAsleep = state.await()
      if !isAsleep { complete() }
    case .wakeUp:
      guard isAsleep, isWoken else { return false }
      (isAsleep, isWoken) = (false, false)
      state.stopAwaiting()
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

  private mutating func perform(_ action: AsyncTransactionState.Action) {
    switch action {
    case .none: break
    case .tellLoop: isTold = true
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
    if isDue, !isTold, !isWoken { fault = "ended, and nobody completes it" }
  }
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

  @Test("a cancel counts until the completions begin, and says whether it is news")
  func cancelCounts() {
    var state = AsyncTransactionState()
    let action = state.commit()
    let news = [state.cancel(), state.cancel()]
    #expect(action == .tellLoop && news == [true, false])
    let begins = state.beginCompleting()
    state.complete()
    let late = [state.cancel(), state.beginCompleting()]
    #expect(begins && late == [false, false])
  }
}
