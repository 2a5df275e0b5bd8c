import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Stress: descriptors", .serialized)
struct DescriptorStressTests {
  @Test("watchers that callbacks add, change and cancel lose no byte and no hang-up")  // E1
  func churn() throws {
    // Threads share descriptor numbers, so each closed number is soon reused.
    let threads = (0..<4).map { number in
      TestThread {
        do { try Churn(seed: Workload.seed &+ UInt64(number)).run() } catch {
          Issue.record(error)
        }
      }
    }
    for thread in threads { thread.join() }
  }

  @Test("waits that other threads cancel each end once, and leave no watcher")  // E2
  func waits() throws {
    try withLoop { loop in
      let (ready, cancelled) = (Tally(), Tally())
      let count = Workload.count(10_000)
      let driver = Self.drive(loop.awaitedPort, count, ready, cancelled)
      #expect(loop.run() == .stopped)
      driver.join()
      #expect(ready.value + cancelled.value == count)
      #expect(ready.value > 0 && cancelled.value > 0)
      // A watcher that was left would keep the run alive.
      #expect(loop.runInTime() == .finished)
    }
  }

  /// Starts tasks that wait for a descriptor, makes it readable or cancels the
  /// task, or both, and then stops the loop. Each task closes its descriptor as
  /// soon as it ends, so each number is reused at once.
  private static func drive(
    _ port: LoopPort,
    _ count: Int,
    _ ready: Tally,
    _ cancelled: Tally
  ) -> TestThread {
    TestThread {
      let workers = OperationScheduler("waits", workerLimit: 3)
      var generator = SeededGenerator(seed: Workload.seed)
      for _ in 0..<count {
        let (pair, ended) = (SocketPair(), Gate())
        let held = Smuggled(pair)
        let task = Task.detached(executorPreference: workers) {
          do {
            try await port.readable(held.value.near)
            ready.increment()
          } catch { cancelled.increment() }
          held.value.closeNear()
          ended.open()
        }
        let choice = generator.next() % 8
        if choice & 1 != 0 { TestThread.yield() }
        // Written first, because a task that ended has closed the other end.
        if choice & 6 != 0 { SocketPair.write(1, to: pair.far) }
        if choice & 6 != 6 { task.cancel() }
        ended.wait()
      }
      port.stop()
    }
  }

  @Test("loops that watch one signal at the same time restore its disposition")  // E3
  func signals() throws {
    // SIGWINCH is ignored by default.
    let number: Int32 = 28
    let threads = (0..<4).map { _ in
      TestThread {
        do {
          try withLoop { loop in
            for _ in 0..<Workload.count(4_000) {
              let received = Tally()
              let watcher = try loop.onSignal(number) { received.increment() }
              Process.raise(number)
              while received.value == 0 { loop.run(.once) }
              watcher.cancel()
            }
          }
        } catch { Issue.record(error) }
      }
    }
    for thread in threads { thread.join() }
    #expect(Process.isDefault(number))
  }
}

/// One loop with pairs of sockets whose watchers change at random.
private final class Churn {
  private var generator: SeededGenerator
  private var slots: [Slot] = []
  private var loop: EventLoop?
  private var replaced = 0
  private var isEnding = false

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  func run() throws {
    try withLoop { loop in
      self.loop = loop
      slots = try (0..<8).map { _ in try makeSlot(loop) }
      for _ in 0..<Workload.count(4_000) {
        try step(loop)
        loop.run(.noWait)
      }
      // A new slot would not be hung up.
      isEnding = true
      for slot in slots { slot.pair.closeFar() }
      #expect(loop.runInTime() == .finished)
      for slot in slots {
        #expect(slot.received == slot.sent)
        #expect(slot.hangUps == 1)
        slot.end()
      }
      #expect(replaced > 0)
      slots = []
      self.loop = nil
    }
  }

  private func step(_ loop: EventLoop) throws {
    let slot = slots[Int(generator.next() % 8)]
    let count = Int(generator.next() % 40)
    if count > 0 {
      slot.sent += count
      slot.pair.send(count)
    }
    if generator.next() % 16 == 0 { try replace(Int(generator.next() % 8), loop) }
  }

  private func replace(_ index: Int, _ loop: EventLoop) throws {
    let old = slots[index]
    old.end()
    var count = old.pair.receive()
    while count > 0 {
      old.received += count
      count = old.pair.receive()
    }
    #expect(old.received == old.sent)
    old.pair.closeNear()
    old.pair.closeFar()
    slots[index] = try makeSlot(loop)
    replaced += 1
  }

  private func makeSlot(_ loop: EventLoop) throws -> Slot {
    let slot = Slot()
    slot.reader = try loop.watch(slot.pair.near, for: [.readable, .hangUp]) { [self] events in
      let count = events.contains(.readable) ? slot.pair.receive(16) : 0
      slot.received += max(count, 0)
      if events.contains(.hangUp) { slot.hangUps += 1 }
      disturb(slot)
    }
    return slot
  }

  /// Adds, changes or cancels a watcher, of this slot or of another one.
  private func disturb(_ own: Slot) {
    let slot = generator.next() % 2 == 0 ? own : slots[Int(generator.next() % 8)]
    switch generator.next() % 8 {
    case 0: slot.other?.events = .writable
    case 1: slot.other?.events = []
    case 2: slot.other?.cancel()
    case 3, 4:
      slot.other?.cancel()
      slot.other = try? loop?.watch(slot.pair.near, for: .writable) { [self] _ in
        slot.other?.events = []
        disturb(slot)
      }
    case 5 where !isEnding:
      if let loop { try? replace(Int(generator.next() % 8), loop) }
    default: break
    }
  }
}

private final class Slot {
  let pair = SocketPair()
  var reader: DescriptorWatcher?
  var other: DescriptorWatcher?
  var sent = 0
  var received = 0
  var hangUps = 0

  func end() {
    reader?.cancel()
    other?.cancel()
    (reader, other) = (nil, nil)
  }
}
