import LoopTransactions
import Synchronization
import TestSupport

/// Counts the work handed over and the work that ran.
///
/// The atomics are relaxed, because the counts are compared after the threads
/// have been joined.
final class Ledger: Sendable {
  private let acceptedCount = Atomic(0)
  private let refusedCount = Atomic(0)
  private let ranCount = Atomic(0)
  private let twiceCount = Atomic(0)
  private let outOfOrderCount = Atomic(0)

  /// Work that was handed over and accepted.
  var accepted: Int { acceptedCount.load(ordering: .relaxed) }
  /// Work that was handed over and refused.
  var refused: Int { refusedCount.load(ordering: .relaxed) }
  /// Work that ran.
  var ran: Int { ranCount.load(ordering: .relaxed) }
  /// Work that ran more than once although it was handed over once.
  var twice: Int { twiceCount.load(ordering: .relaxed) }
  /// Work that ran after something the same thread handed over later.
  var outOfOrder: Int { outOfOrderCount.load(ordering: .relaxed) }

  /// Counts the work that `body` hands over. Returns false if the work was
  /// refused.
  @discardableResult
  func hand(_ body: () throws(LoopPort.PostError) -> Void) -> Bool {
    do throws(LoopPort.PostError) {
      try body()
      acceptedCount.add(1, ordering: .relaxed)
      return true
    } catch {
      refusedCount.add(1, ordering: .relaxed)
      return false
    }
  }

  /// Waits while the loops are more than 10,000 pieces of work behind. A
  /// producer without this limit can fill the memory while its test waits for a
  /// thread of the concurrency pool.
  func waitForLoops() {
    while accepted - ran - outOfOrder > 10_000 { TestThread.yield() }
  }

  func didRun() { ranCount.add(1, ordering: .relaxed) }
  func didRunTwice() { twiceCount.add(1, ordering: .relaxed) }
  func didRunOutOfOrder() { outOfOrderCount.add(1, ordering: .relaxed) }
}

/// A piece of work of any kind. It must run exactly once.
final class Parcel: Sendable {
  static let deliver = Selector<Parcel>("stress deliver") { $0.run() }

  private let ledger: Ledger
  private let runs = Atomic(0)

  init(_ ledger: Ledger) { self.ledger = ledger }

  func run() {
    if runs.add(1, ordering: .relaxed).oldValue == 0 {
      ledger.didRun()
    } else {
      ledger.didRunTwice()
    }
  }
}

/// The posts of one thread. They must run in the order they were made.
final class Sequence: Sendable {
  private let ledger: Ledger
  // Loop thread only.
  private let next = Atomic(0)

  init(_ ledger: Ledger) { self.ledger = ledger }

  /// Records that the post with this number ran.
  func run(_ number: Int) {
    let expected = next.load(ordering: .relaxed)
    if number == expected { ledger.didRun() } else { ledger.didRunOutOfOrder() }
    next.store(number + 1, ordering: .relaxed)
  }

  /// A function to post with a retained `Numbered` as its context.
  static let step: PostedFunction = { context in
    guard let context else { return }
    let item = Unmanaged<Numbered>.fromOpaque(context).takeRetainedValue()
    item.sequence.run(item.number)
  }
}

/// A number of a sequence, used as the context of a posted function.
final class Numbered: Sendable {
  let sequence: Sequence
  let number: Int

  init(_ sequence: Sequence, _ number: Int) {
    self.sequence = sequence
    self.number = number
  }
}
