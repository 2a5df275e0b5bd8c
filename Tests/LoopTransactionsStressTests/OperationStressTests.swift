import LoopTransactions
import LoopTransactionsTesting
import Synchronization
import TestSupport
import Testing

@Suite("Stress: operations", .serialized)
struct OperationStressTests {
  // O1, O2, O5, O6, O9
  @Test(
    "operations that 8 threads add, reprioritise, cancel and wait for have one outcome each",
    arguments: [(4, 64), (64, 4)]
  )
  func oneOutcomeEach(limit: Int, permits: Int) {
    // The smaller of the two limits applies.
    let cap = min(limit, permits)
    let scheduler = OperationScheduler(
      "stress",
      workerLimit: limit,
      permits: WorkerPermits(limit: permits)
    )
    let watch = Watch()
    let count = Workload.count(125_000)
    let threads = (0..<8).map { number in
      TestThread {
        var user = User(
          scheduler,
          watch,
          SeededGenerator(seed: Workload.seed &* 31 &+ UInt64(number))
        )
        user.addAll(count)
      }
    }
    for thread in threads { thread.join() }
    #expect(watch.faults.withLock { $0 } == [])
    #expect(watch.most.load(ordering: .relaxed) <= cap)
    // A waiting loop must have run at least one operation on its own thread.
    // Otherwise the test did not cover this case.
    #expect(watch.helped.load(ordering: .relaxed) > 0)
  }

  // O10
  @Test("each waiter of a single flight is called once while 4 threads join and leave it")
  func flights() {
    let scheduler = OperationScheduler("stress", workerLimit: 3, permits: WorkerPermits(limit: 3))
    let flights = SingleFlight<Int, Int>(on: scheduler)
    let faults = Locked<[String]>([])
    let count = Workload.count(20_000)
    let threads = (0..<4).map { number in
      TestThread {
        var generator = SeededGenerator(seed: Workload.seed &* 17 &+ UInt64(number))
        guard let loop = try? EventLoop() else { return }
        var told = 0
        for _ in 0..<count {
          let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
          let key = Int.random(in: 0..<8, using: &generator)
          let operation = transaction.add(flights, for: key) { _ in
            key
          } completion: { outcome in
            told += 1
            if let value = outcome.value, value != key { faults.withLock { $0.append("wrong") } }
          }
          transaction.commit()
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: operation.cancel()
          case 1: transaction.cancel()
          case 2: transaction.waitUntilComplete()
          default: operation.setPriority(OperationPriority(key))
          }
          loop.run(.noWait)
        }
        loop.run()
        if told != count { faults.withLock { $0.append("\(told) of \(count) completions ran") } }
        try? loop.close()
      }
    }
    for thread in threads { thread.join() }
    #expect(faults.withLock { $0 } == [])
    #expect(flights.count == 0)
  }

  @Test("a task's last job can release its scheduler while another thread enqueues it")  // C1
  func releasedByJob() {
    for _ in 0..<Workload.count(40_000) {
      let (suspended, continuation) = (Gate(), Locked<UnsafeContinuation<Void, Never>?>(nil))
      Task.detached(executorPreference: OperationScheduler("last", workerLimit: 1)) {
        await withUnsafeContinuation { own in
          continuation.withLock { $0 = own }
          suspended.open()
        }
      }
      suspended.wait()
      continuation.withLock { $0.take() }?.resume()
    }
  }

  // O1
  @Test("creating, using and releasing schedulers leaks no memory and no descriptors")
  func leavesNothing() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<5 { Self.makeAndDrop() }
      let (before, descriptors) = (Interposed.heapBytes, Process.openDescriptors)
      for _ in 0..<100 { Self.makeAndDrop() }
      let growth = Interposed.heapBytes - before
      #expect(abs(growth) < 1 << 20, "\(growth) bytes")
      // Allow two more, because the test's own runtime may open descriptors at
      // any time.
      #expect(Process.openDescriptors < descriptors + 3)
    }
  }

  // O1, O2, O5, O6, O9
  @Test("two hundred rounds of the load leak no memory, no thread and no descriptor")
  func twoHundredRounds() async {
    await #expect(processExitsWith: .success) {
      for round in 0..<10 where !Self.oneRound(round) { return }
      let before = (Process.openDescriptors, Self.threads())
      var growths: [Int] = []
      for block in 0..<5 {
        let heap = Interposed.heapBytes
        for round in 0..<40 where !Self.oneRound(block * 40 + round) { return }
        growths.append(Interposed.heapBytes - heap)
      }
      let after = (Process.openDescriptors, Self.threads())
      // A leak grows in every block, 32 bytes a round at least, because malloc
      // takes no smaller chunks. Fragmentation and the test's own runtime change
      // the figure by 1,000 bytes in either direction, in short blocks and in long
      // ones.
      #expect((growths.min() ?? 0) < 40 * 32, "bytes per block of 40 rounds: \(growths)")
      #expect(after.0 < before.0 + 3)
      // The number of threads may fall, because threads of the test's own
      // runtime may end.
      #expect(after.1 <= before.1)
    }
  }

  /// Adds, reprioritises, cancels, and waits for operations and transactions
  /// from 4 threads. Returns true if all worker threads have ended afterwards.
  private static func oneRound(_ round: Int) -> Bool {
    let watch = Watch()
    do {
      let scheduler = OperationScheduler(
        "round",
        workerLimit: 3,
        permits: WorkerPermits(limit: 3),
        idleNanoseconds: 3_600_000_000_000
      )
      let threads = (0..<4).map { number in
        TestThread {
          let seed = Workload.seed &* 31 &+ UInt64(round * 4 + number)
          var user = User(scheduler, watch, SeededGenerator(seed: seed))
          user.addAll(Interposed.isSanitized ? 100 : 500)
        }
      }
      for thread in threads { thread.join() }
    }
    let areGone = inTime { Process.threadNames?.contains("round") != true }
    #expect(areGone && watch.faults.withLock { $0 } == [])
    return areGone
  }

  private static func threads() -> Int { Process.threadNames?.count ?? 0 }

  private static func makeAndDrop() {
    let done = Gate()
    let scheduler = OperationScheduler("round", workerLimit: 2, permits: WorkerPermits(limit: 2))
    for number in 0..<1000 {
      let operation = scheduler.add { _ in done.open() }
      if number % 3 == 0, operation.cancel() { done.open() }
    }
    for _ in 0..<1000 { done.wait() }
  }
}

/// The state shared by all threads of a stress test.
private final class Watch: Sendable {
  let faults = Locked<[String]>([])
  let most = Atomic<Int>(0)
  let helped = Atomic<Int>(0)
  private let running = Atomic<Int>(0)

  /// Counts an operation that a waiting loop runs on its own thread.
  func help() { helped.add(1, ordering: .relaxed) }

  /// Counts an operation that runs on a worker.
  func run() {
    let now = running.add(1, ordering: .relaxed).newValue
    most.max(now, ordering: .relaxed)
    // Yield, so that other operations overlap with this one.
    if now % 2 == 1 { TestThread.yield() }
    running.subtract(1, ordering: .relaxed)
  }
}

/// Counts how many times an operation ended.
private final class Ending: Sendable {
  let count = Atomic<Int>(0)

  func come() { count.add(1, ordering: .relaxed) }
}

/// One thread that uses a scheduler.
private struct User {
  private let scheduler: OperationScheduler
  private let watch: Watch
  private var generator: SeededGenerator

  init(_ scheduler: OperationScheduler, _ watch: Watch, _ generator: SeededGenerator) {
    self.scheduler = scheduler
    self.watch = watch
    self.generator = generator
  }

  /// Adds `count` operations in rounds and checks the outcomes of each round.
  mutating func addAll(_ count: Int) {
    guard let loop = try? EventLoop() else { return report("no loop") }
    var left = count
    while left > 0 {
      let size = min(left, 500)
      left -= size
      scheduler.isInteractive = Bool.random(using: &generator)
      addPlain(size / 2)
      addTransactions(size - size / 2, on: loop)
    }
    try? loop.close()
  }

  private mutating func addPlain(_ count: Int) {
    let endings = (0..<count).map { _ in Ending() }
    var operations: [ScheduledOperation] = []
    for ending in endings {
      operations.append(
        scheduler.add(priority: priority()) { [watch] _ in
          watch.run()
          ending.come()
        }
      )
      let index = Int.random(in: 0..<operations.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: if operations[index].cancel() { endings[index].come() }
      case 1: operations[index].setPriority(priority())
      default: break
      }
    }
    // The last operation has the lowest priority, so it runs after all others
    // of this thread.
    let last = Gate()
    scheduler.add(priority: OperationPriority(-128)) { _ in last.open() }
    if !last.waitInTime() { report("the last operation did not run") }
    for ending in endings {
      while ending.count.load(ordering: .acquiring) == 0 { TestThread.yield() }
      if ending.count.load(ordering: .relaxed) != 1 { report("an operation ended more than once") }
    }
  }

  private mutating func addTransactions(_ count: Int, on loop: EventLoop) {
    var told = [Int](repeating: 0, count: count)
    var number = 0
    while number < count {
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      var operations: [AsyncTransaction.Operation] = []
      for _ in 0..<Int.random(in: 1...8, using: &generator) where number < count {
        let index = number
        number += 1
        operations.append(
          transaction.add(priority: priority()) { [watch, home = System.thread] _ in
            // A loop that waits for its transaction runs operations on its own
            // thread.
            if System.thread == home { watch.help() } else { watch.run() }
            return index
          } completion: { outcome in
            told[index] += outcome.value.map { $0 == index ? 1 : 100 } ?? 1
          }
        )
      }
      let one = operations[Int.random(in: 0..<operations.count, using: &generator)]
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: one.cancel()
      case 1: one.setPriority(priority())
      default: break
      }
      transaction.commit()
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: transaction.cancel()
      case 1: transaction.waitUntilComplete()
      case 2: loop.run(.noWait)
      default: break
      }
    }
    loop.run()
    if !told.allSatisfy({ $0 == 1 }) { report("operations did not complete once each: \(told)") }
  }

  private mutating func priority() -> OperationPriority {
    OperationPriority(Int.random(in: -128...127, using: &generator))
  }

  private func report(_ fault: String) { watch.faults.withLock { $0.append(fault) } }
}
