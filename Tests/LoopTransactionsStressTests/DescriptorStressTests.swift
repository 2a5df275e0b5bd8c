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
