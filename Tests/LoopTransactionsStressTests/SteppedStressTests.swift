import LoopTransactions
import LoopTransactionsTesting
import Synchronization
import TestSupport
import Testing

@Suite("Stress: stepped operations", .serialized)
struct SteppedStressTests {
  // C6, O1, O2, O5, O6, O11
  @Test("equal seeds repeat a run of operations, queues and transactions; other seeds do not")
  func repeats() throws {
    // Each run has 500 operations, and each seed has three runs.
    let seeds = UInt64(max(2, Workload.count(300_000) / 1500))
    var digests: Set<UInt64> = []
    for number in 0..<seeds {
      let work = Workload.seed &* 1000 &+ number
      let runs = try [work, work, ~work].map { seed in
        try SteppedSession(seed: seed, work: work).run(operations: 500)
      }
      #expect(runs[0].faults == [], "seed \(work)")
      #expect(runs[0] == runs[1], "seed \(work)")
      #expect(runs[0].digest != runs[2].digest, "seed \(work)")
      digests.formUnion(runs.map(\.digest))
    }
    #expect(digests.count == 2 * Int(seeds))
  }

  // C6, O1, O2, L2
  @Test("work that 4 threads add and cancel while a loop is stepped runs once, on its thread")
  func threads() throws {
    let stepped = try SteppedLoop(seed: Workload.seed)
    let scheduler = SteppedScheduler(on: stepped, workerLimit: 4).scheduler
    let (count, watch) = (Workload.count(25_000), ThreadWatch())
    let threads = (0..<4).map { [port = stepped.loop.port] number in
      TestThread {
        var generator = SeededGenerator(seed: Workload.seed &* 37 &+ UInt64(number))
        let queue = SerialQueue("stress \(number)", on: scheduler)
        for _ in 0..<count {
          watch.ledger.waitForLoops()
          watch.hand(port, scheduler, queue, &generator)
        }
        watch.running.subtract(1, ordering: .releasing)
      }
    }
    while watch.running.load(ordering: .acquiring) > 0 {
      stepped.runUntilIdle(limit: .max)
      TestThread.yield()
    }
    for thread in threads { thread.join() }
    stepped.runUntilIdle(limit: .max)
    #expect(stepped.isIdle)
    let ledger = watch.ledger
    #expect(ledger.accepted == 4 * count && ledger.refused == 0)
    #expect(ledger.ran == ledger.accepted && ledger.twice == 0)
    #expect(watch.elsewhere.load(ordering: .relaxed) == 0)
    try stepped.close()
  }
}

/// The state that the threads of a test share.
private final class ThreadWatch: Sendable {
  let ledger = Ledger()
  /// The threads that still add work.
  let running = Atomic(4)
  /// Work that did not run on the thread that created this object.
  let elsewhere = Atomic(0)
  private let home = System.thread

  /// Hands over one piece of work: a post, or an operation that may be cancelled.
  func hand(
    _ port: LoopPort,
    _ scheduler: OperationScheduler,
    _ queue: SerialQueue,
    _ generator: inout SeededGenerator
  ) {
    let parcel = Parcel(ledger)
    let run: @Sendable () -> Void = { [self] in
      if System.thread != home { elsewhere.add(1, ordering: .relaxed) }
      parcel.run()
    }
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: ledger.hand { () throws(LoopPort.PostError) in try port.post(run) }
    case 1:
      ledger.hand {}
      queue.add(run)
    default:
      ledger.hand {}
      let priority = OperationPriority(Int.random(in: -128...127, using: &generator))
      let operation = scheduler.add(priority: priority) { _ in run() }
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: if operation.cancel() { parcel.run() }
      case 1: operation.setPriority(.high)
      default: break
      }
    }
  }
}

/// A run of random work on a stepped loop and its stepped scheduler.
private final class SteppedSession {
  private let stepped: SteppedLoop
  private let workers: SteppedScheduler
  private let queues: [SerialQueue]
  private let record = Record()
  private var generator: SeededGenerator
  private var operations: [(operation: ScheduledOperation, number: Int)] = []
  private var count = 0

  /// - Parameters:
  ///   - seed: Determines the order of the steps.
  ///   - work: Determines the work.
  init(seed: UInt64, work: UInt64) throws {
    generator = SeededGenerator(seed: work)
    stepped = try SteppedLoop(seed: seed)
    workers = SteppedScheduler(
      on: stepped,
      workerLimit: Int.random(in: 1...8, using: &generator),
      operationTime: .zero ... .milliseconds(Int.random(in: 0...20, using: &generator))
    )
    queues = ["a", "b", "c"].map { [workers] in SerialQueue($0, on: workers.scheduler) }
  }

  /// Adds about `wanted` operations, steps the loop meanwhile, and closes it.
  func run(operations wanted: Int) throws -> Record.Result {
    while count < wanted {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0, 1: addPlain()
      case 2: addToQueue()
      case 3: addTransaction()
      case 4: addLater()
      case 5: workers.step()
      case 6: stepped.step()
      default: stepped.advance(by: .milliseconds(Int.random(in: 0...9, using: &generator)))
      }
    }
    stepped.advance(by: .seconds(60))
    record.expect(stepped.isIdle, "not idle after a minute")
    try stepped.close()
    return record.result(of: count)
  }

  private func nextNumber() -> Int {
    count += 1
    return count - 1
  }

  private func priority() -> OperationPriority {
    OperationPriority(Int.random(in: -128...127, using: &generator))
  }

  /// Adds an operation, and may cancel or move one of the last operations.
  private func addPlain() {
    let (number, record) = (nextNumber(), record)
    let operation = workers.scheduler.add(priority: priority()) { operation in
      record.end(number, operation.isCancelled ? "cancelled late" : "run")
    }
    operations.append((operation, number))
    let one = operations[
      Int.random(in: max(0, operations.count - 20)..<operations.count, using: &generator)
    ]
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: if one.operation.cancel() { record.end(one.number, "cancelled") }
    case 1: one.operation.setPriority(priority())
    default: break
    }
  }

  private func addToQueue() {
    let (number, record) = (nextNumber(), record)
    let index = Int.random(in: 0..<queues.count, using: &generator)
    queues[index].add { record.end(number, inQueue: index) }
  }

  private func addTransaction() {
    let transaction = AsyncTransaction(on: stepped.loop, scheduler: workers.scheduler)
    let order = Order()
    var added: [AsyncTransaction.Operation] = []
    for index in 0..<Int.random(in: 1...4, using: &generator) {
      let (number, record) = (nextNumber(), record)
      added.append(
        transaction.add(priority: priority()) { _ in
          record.note(number, "body")
          return number
        } completion: { outcome in
          record.expect(order.next() == index, "completion \(number) is out of order")
          record.expect(outcome.value ?? number == number, "completion \(number) is wrong")
          record.end(number, outcome.value == nil ? "none" : "value")
        }
      )
    }
    if Int.random(in: 0..<4, using: &generator) == 0 { added[0].cancel() }
    transaction.commit()
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: transaction.cancel()
    case 1: transaction.waitUntilComplete()
    case 2: stepped.loop.post { transaction.cancel() }
    default: break
    }
  }

  /// Adds an operation when a timer fires.
  private func addLater() {
    let (number, record, scheduler) = (nextNumber(), record, workers.scheduler)
    let time = Duration.milliseconds(Int.random(in: 0...30, using: &generator))
    stepped.loop.addTimer(after: time) { _ in
      record.note(number, "timer")
      scheduler.add { _ in record.end(number, "run") }
    }
  }
}

/// Counts the completions of a transaction. Loop only.
private final class Order {
  private var count = 0

  func next() -> Int {
    defer { count += 1 }
    return count
  }
}

/// The events of a run, as a digest that depends on their order.
private final class Record: Sendable {
  struct Result: Equatable {
    let digest: UInt64
    let faults: [String]
  }

  private struct State {
    // FNV-1a.
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    var endings: [Int: Int] = [:]
    var lastInQueue: [Int: Int] = [:]
    var faults: [String] = []

    mutating func note(_ number: Int, _ event: String) {
      for byte in "\(number) \(event)\n".utf8 {
        digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3
      }
    }

    mutating func end(_ number: Int, _ event: String) {
      note(number, event)
      endings[number, default: 0] += 1
    }
  }

  private let state = Locked(State())

  func note(_ number: Int, _ event: String) { state.withLock { $0.note(number, event) } }

  /// Records the end of an operation, which must end once.
  func end(_ number: Int, _ event: String) { state.withLock { $0.end(number, event) } }

  /// Records the end of a serial queue's operation. They must end in the order added.
  func end(_ number: Int, inQueue queue: Int) {
    state.withLock { state in
      state.end(number, "queue \(queue)")
      if state.lastInQueue[queue] ?? -1 > number {
        state.faults.append("queue \(queue) ran \(number) too late")
      }
      state.lastInQueue[queue] = number
    }
  }

  func expect(_ holds: Bool, _ fault: String) {
    if !holds { state.withLock { $0.faults.append(fault) } }
  }

  /// The result of a run of `count` operations.
  func result(of count: Int) -> Result {
    state.withLock { state in
      let wrong = (0..<count).filter { state.endings[$0] != 1 }.map { number in
        "operation \(number) ended \(state.endings[number] ?? 0) times"
      }
      return Result(digest: state.digest, faults: state.faults + wrong)
    }
  }
}
