import LoopTransactions
import Synchronization
import TestSupport
import Testing

// I3, I4
@Suite("InboxWord")
struct InboxWordTests {
  /// Each step takes at most one lock, so that one thread can try every order.
  private enum Step: CaseIterable {
    case lock, unlock, unlockFilled, unlockEmpty, sleep, claimWake, close
  }

  /// A model of the word's documented behaviour.
  private struct Model {
    var isLocked = false
    var flags: UInt32 = 0

    func allows(_ step: Step) -> Bool {
      switch step {
      case .lock, .close: !isLocked
      case .unlock, .unlockFilled, .unlockEmpty: isLocked
      case .sleep, .claimWake: true
      }
    }

    /// Performs `step` and returns its result as a number.
    mutating func make(_ step: Step) -> UInt32 {
      switch step {
      case .lock:
        isLocked = true
        return flags
      case .unlock: isLocked = false
      case .unlockFilled:
        isLocked = false
        flags = (flags | InboxWord.filled) & ~InboxWord.asleep
      case .unlockEmpty:
        isLocked = false
        flags &= ~InboxWord.filled
      case .sleep:
        guard !isLocked, flags == 0 || flags == InboxWord.asleep else { return 0 }
        flags = InboxWord.asleep
        return 1
      case .claimWake:
        guard flags & InboxWord.closed == 0, flags & InboxWord.asleep != 0 else { return 0 }
        if !isLocked { flags &= ~InboxWord.asleep }
        return 1
      case .close: flags = (flags | InboxWord.closed) & ~InboxWord.asleep
      }
      return 0
    }

    var word: UInt32 { flags | (isLocked ? InboxWord.locked : 0) }
  }

  /// Performs `step` on `word` and returns its result as a number.
  private func make(_ step: Step, _ word: InboxWord) -> UInt32 {
    let held = word.flags & ~InboxWord.locked
    switch step {
    case .lock: return word.lock()
    case .unlock: word.unlock(held)
    case .unlockFilled: word.unlock((held | InboxWord.filled) & ~InboxWord.asleep)
    case .unlockEmpty: word.unlock(held & ~InboxWord.filled)
    case .sleep: return word.sleep() ? 1 : 0
    case .claimWake: return word.claimWake() ? 1 : 0
    case .close: word.close()
    }
    return 0
  }

  /// Performs `steps` on a new word and on the model. Returns the first
  /// difference between them, or nil.
  private func difference(_ steps: [Step]) -> String? {
    var model = Model()
    let cells = Cells()
    for step in steps {
      let (made, expected) = (make(step, cells.word), model.make(step))
      if made != expected { return "\(steps): \(step) returns \(made), not \(expected)" }
      if cells.word.flags != model.word {
        return "\(steps): the word is \(cells.word.flags) after \(step), not \(model.word)"
      }
    }
    return nil
  }

  @Test("every order of up to six steps matches the model")
  func everyOrder() {
    var differences: [String] = []
    var tried = 0
    func extend(_ steps: [Step], _ model: Model) {
      if let difference = difference(steps) { return differences.append(difference) }
      tried += 1
      guard steps.count < 6 else { return }
      for step in Step.allCases where model.allows(step) {
        var next = model
        _ = next.make(step)
        extend(steps + [step], next)
      }
    }
    extend([], Model())
    #expect(differences.prefix(3) == [])
    #expect(tried > 3000)
  }

  @Test("threads that contend for the lock hold it one at a time")
  func contention() {
    let cells = Cells()
    let rounds = Interposed.isSanitized ? 400 : 4000
    let threads = (0..<8).map { _ in
      TestThread {
        for round in 0..<rounds {
          let flags = cells.word.lock()
          let count = cells.count
          // Yield, so that other threads contend even on one processor.
          if round % 8 == 0 { TestThread.yield() }
          cells.count = count + 1
          cells.word.unlock(flags)
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(cells.count == 8 * rounds)
    #expect(cells.word.flags == 0)
  }

  @Test("a contender sleeps without yielding its CPU, and gets the lock when it is released")
  func sleeper() {
    let cells = Cells()
    let yields = Tally()
    let flags = cells.word.lock()
    let sleeper = TestThread {
      Interposed.before(.yield, { yields.increment() }) {
        cells.word.unlock(cells.word.lock() | InboxWord.filled)
      }
    }
    #expect(inTime { cells.waiters > 0 })
    cells.word.unlock(flags)
    sleeper.join()
    #expect(yields.value == 0)
    #expect(cells.waiters == 0)
    #expect(cells.word.flags == InboxWord.filled)
  }

  @Test("if many threads claim the wake of one sleep, one of them succeeds")
  func oneClaimPerSleep() {
    let cells = Cells()
    let claims = Tally()
    let isOver = Locked(false)
    let threads = (0..<4).map { _ in
      TestThread {
        while !isOver.withLock({ $0 }) {
          if cells.word.claimWake() { claims.increment() }
          TestThread.yield()
        }
      }
    }
    var sleeps = 0
    for _ in 0..<500 where cells.word.sleep() {
      sleeps += 1
      guard inTime({ cells.word.flags & InboxWord.asleep == 0 }) else { break }
    }
    isOver.withLock { $0 = true }
    for thread in threads { thread.join() }
    #expect(sleeps == 500)
    #expect(claims.value == sleeps)
  }
}

/// A word in its own memory, and a count protected by its lock.
private final class Cells: @unchecked Sendable {
  // @unchecked: `count` is accessed only under the word's lock.

  private let pointer = UnsafeMutablePointer<InboxWord.Cells>.allocate(capacity: 1)
  let word: InboxWord
  var count = 0

  init() {
    pointer.initialize(to: InboxWord.Cells())
    word = InboxWord(pointer)
  }

  deinit {
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }

  var waiters: UInt32 { pointer.pointee.waiters.load(ordering: .relaxed) }
}
