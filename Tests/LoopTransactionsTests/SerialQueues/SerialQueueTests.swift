import LoopTransactions
import TestSupport
import Testing

@Suite("SerialQueue, SerialQueuePool")
struct SerialQueueTests {
  // O11
  @Test("operations of a queue run one at a time, in the order added, with any number of workers")
  func inOrder() {
    let queue = SerialQueue("test", on: .alone(workers: 4))
    let numbers = Locked<[Int]>([])
    let running = RunningCount()
    let done = Gate()
    for number in 0..<1000 {
      queue.add {
        running.pass {
          numbers.withLock { $0.append(number) }
          if number % 100 == 0 { TestThread.yield() }
        }
        if number == 999 { done.open() }
      }
    }
    #expect(done.waitInTime())
    #expect(numbers.withLock { $0 } == Array(0..<1000))
    #expect(running.most == 1)
  }

  // O11
  @Test("queues share their scheduler's workers and limit")
  func underTheCap() {
    let scheduler = OperationScheduler.alone(workers: 2)
    let pool = SerialQueuePool("test", count: 8, on: scheduler)
    let running = RunningCount()
    let done = Gate()
    for _ in 0..<400 {
      pool.next().add {
        running.pass()
        done.open()
      }
    }
    for _ in 0..<400 { #expect(done.waitInTime()) }
    #expect(running.most <= 2)
    #expect(scheduler.metrics.workers <= 2)
  }

  // O11
  @Test("the queues of a pool are used in turn")
  func rotates() {
    let pool = SerialQueuePool("test", count: 3, on: .alone())
    let turns = (0..<7).map { _ in pool.next() }
    for (index, queue) in turns.enumerated() { #expect(queue === pool.queues[index % 3]) }
    #expect((1...32).contains(SerialQueuePool.defaultCount))
  }

  // O11
  @Test("an operation of higher priority runs between two long operations of a serial queue")
  func letsOthersIn() {
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let queue = SerialQueue("test", on: scheduler)
    let log = Log()
    let done = Gate()
    for number in 0..<3 {
      queue.add {
        if number == 0 { scheduler.add(priority: .high) { _ in log.add("urgent") } }
        let end = System.nanoseconds + 1_000_000
        while System.nanoseconds < end {}
        log.add("\(number)")
        done.open()
      }
    }
    frozen.thaw()
    for _ in 0..<3 { #expect(done.waitInTime()) }
    #expect(log.events == ["0", "urgent", "1", "2"])
  }

  @Test("removeAll removes and releases the waiting operations")
  func removes() {
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let queue = SerialQueue("test", on: scheduler)
    let log = Log()
    do {
      let witness = Witness { log.add("released") }
      for _ in 0..<3 {
        queue.add {
          witness.touch()
          log.add("ran")
        }
      }
    }
    #expect(queue.count == 3)
    #expect(queue.removeAll() == 3)
    #expect(log.events == ["released"])
    let done = Gate()
    queue.add { done.open() }
    frozen.thaw()
    #expect(done.waitInTime())
  }

  @Test("a queue that is never empty does not grow", .enabled(if: Interposed.isAvailable))
  func neverEmpty() async {
    await #expect(processExitsWith: .success) {
      let queue = SerialQueue("test", on: .alone(workers: 1))
      let count = Tally()
      let bytes = Locked<[Int]>([])
      let done = Gate()
      // The operations must end within 20 s, even beside other tests.
      let last = Interposed.amount(1_000_000, debug: 100_000, sanitized: 100_000)
      @Sendable func again() {
        let number = count.increment()
        // There are always two operations: one running and one waiting.
        if number == 1000 || number == last {
          bytes.withLock { $0.append(Interposed.heapBytes) }
        }
        if number < last { queue.add(again) } else { done.open() }
      }
      queue.add(again)
      queue.add(again)
      #expect(done.waitInTime())
      let (before, after) = bytes.withLock { ($0[0], $0[1]) }
      #expect(after - before < 1 << 16, "\(after - before) bytes")
    }
  }

  @Test("waiting operations still run after the queue and its scheduler were released")  // O11
  func dropped() {
    let done = Gate()
    do {
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let queue = SerialQueue("test", on: scheduler)
      for _ in 0..<50 { queue.add { done.open() } }
      frozen.thaw()
    }
    for _ in 0..<50 { #expect(done.waitInTime()) }
  }
}
