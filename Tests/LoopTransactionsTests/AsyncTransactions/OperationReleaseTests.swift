import LoopTransactions
import TestSupport
import Testing

/// Counts where objects captured by operations are released. A single object is
/// not enough, because the adding thread may be ahead of the worker or behind
/// it.
private final class Releases: Sendable {
  private let home = System.thread
  private let here = Tally()
  private let all = Tally()

  /// The number of objects released on the thread that created this counter.
  var onAddingThread: Int { here.value }
  var count: Int { all.value }

  /// Returns an object for an operation to capture. Nothing else retains it.
  func held() -> Witness {
    Witness { [home, here, all] in
      if System.thread == home { here.increment() }
      all.increment()
    }
  }

  /// Returns when `count` objects have been released.
  func wait(for count: Int) { while self.count < count { TestThread.yield() } }

  func plain() -> @Sendable () -> Void {
    let witness = held()
    return { witness.touch() }
  }

  func scheduled() -> @Sendable (ScheduledOperation) -> Void {
    let witness = held()
    return { _ in witness.touch() }
  }

  func scheduled(_ value: Int) -> @Sendable (ScheduledOperation) -> Int {
    let witness = held()
    return { _ in
      witness.touch()
      return value
    }
  }

  func inTransaction() -> @Sendable (AsyncTransaction.Operation) -> Void {
    let witness = held()
    return { _ in witness.touch() }
  }
}

// O12
@Suite("Operations: release of captured objects")
struct OperationReleaseTests {
  private static var count: Int { Interposed.isSanitized ? 10_000 : 100_000 }

  @Test("an operation's captures are never released on the thread that added it")
  func scheduler() {
    let scheduler = OperationScheduler.alone()
    #expect(Self.releasedOnAddingThread { scheduler.add($0.scheduled()) } == 0)
  }

  @Test("a serial queue's captures are never released on the thread that added them")
  func serialQueue() {
    let queue = SerialQueue("test", on: .alone())
    #expect(Self.releasedOnAddingThread { queue.add($0.plain()) } == 0)
  }

  @Test("captures of a transaction's operation are never released on the loop that added it")
  func transaction() throws {
    let scheduler = OperationScheduler.alone()
    let released = try Self.releasedOnLoop(scheduler) { transaction, releases, _ in
      transaction.add("held", releases.inTransaction())
    }
    #expect(released == 0)
  }

  @Test("captures of a single flight are never released on the loop that added it")
  func flights() throws {
    let scheduler = OperationScheduler.alone()
    let flights = SingleFlight<Int, Int>(on: scheduler)
    let released = try Self.releasedOnLoop(scheduler) { transaction, releases, number in
      transaction.add(flights, for: number, releases.scheduled(number))
    }
    #expect(released == 0)
  }

  /// Returns the number of captured objects that are released on this thread.
  /// Adds the first half one at a time and waits for each release, so that a
  /// worker may finish before `add` returns. Adds the second half in batches of
  /// 100.
  private static func releasedOnAddingThread(_ add: (Releases) -> Void) -> Int {
    let releases = Releases()
    for number in 1...count {
      add(releases)
      if number < count / 2 || number % 100 == 0 { releases.wait(for: number) }
    }
    return releases.onAddingThread
  }

  /// Like `releasedOnAddingThread`, with transactions of 100 operations.
  private static func releasedOnLoop(
    _ scheduler: OperationScheduler,
    _ add: (AsyncTransaction, Releases, Int) -> Void
  ) throws -> Int {
    let releases = Releases()
    try withLoop { loop in
      for first in stride(from: 0, to: count, by: 100) {
        let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
        for number in first..<(first + 100) {
          add(transaction, releases, number)
          if first < count / 2 { releases.wait(for: number + 1) }
        }
        transaction.commit()
        loop.run(.noWait)
      }
      #expect(loop.runInTime() == .finished)
      #expect(releases.count == count)
    }
    return releases.onAddingThread
  }
}
