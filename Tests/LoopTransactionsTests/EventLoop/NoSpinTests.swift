import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

private final class Item {
  static let draw = Selector<Item>("no spin draw") { _ in }
}

@Suite("No spin")
struct NoSpinTests {
  @Test("with all work dead, cancelled or removed, a loop sleeps until its timer is due")  // L7
  func dead() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      let queue = RunLoopQueue<Item>(on: loop, membership: .weak, batchSize: 1) { _, _ in }
      enqueueTheDead(queue)
      cancelTransactions(on: loop)
      loop.addObserver(for: .beforeWaiting) { _ in }.cancel()
      let before = loop.metrics.ticks
      let start = TestThread.processorTime
      #expect(loop.run(until: loop.now.advanced(by: .seconds(2))) == .timedOut)
      let used = TestThread.processorTime - start
      withExtendedLifetime(port) {}
      #expect(loop.metrics.ticks - before <= 3)
      #expect(loop.metrics.delivered == 0)
      // A loop that spins uses 2 s. The time depends on the processor, and
      // includes time that a hypervisor takes from it.
      #expect(used < .milliseconds(500), "used \(used) of processor time")
    }
  }

  private func enqueueTheDead(_ queue: RunLoopQueue<Item>) {
    // Keep all items alive until the end, so that each has its own address.
    let items = (0..<10_000).map { _ in Item() }
    for item in items { queue.enqueue(item) }
  }

  private func cancelTransactions(on loop: EventLoop) {
    let items = (0..<10_000).map { _ in Item() }
    for item in items { loop.commit(item, Item.draw) }
    for item in items { loop.cancel(item, Item.draw) }
    var died: [Transaction] = []
    for _ in 0..<1000 {
      let transaction = Transaction(Item(), Item.draw, on: loop, hold: .weak)
      transaction.commit()
      died.append(transaction)
    }
  }

  @Test("a loop that has performed its pending work makes no more ticks")  // L7
  func idle() throws {
    try withSteppedLoop { stepped in
      stepped.loop.commit {}
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.runUntilIdle() == 0)
    }
  }

  @Test("after a wake, and after a post, a loop blocks again in the second tick")  // L7
  func afterWake() throws {
    try withLoop { loop in
      loop.budget = .unlimited
      let port = loop.awaitedPort
      loop.addTimer(after: .milliseconds(50)) { _ in loop.stop() }
      port.wake()
      try port.post {}
      TestThread.run { try? port.post {} }
      loop.run()
      // The loop makes a tick for the posts, a tick that sees the wake, and a
      // tick for the timer.
      #expect(loop.metrics.ticks <= 4)
    }
  }

  @Test("a loop sleeps until a timer that is due between two milliseconds")  // L7, L10
  func betweenMilliseconds() throws {
    try withLoop { loop in
      var fired = 0
      loop.addTimer(after: .microseconds(1100), every: .microseconds(2100)) { _ in
        fired += 1
        if fired == 10 { loop.stop() }
      }
      loop.run()
      // Two ticks per call, because libuv's clock may lag by one millisecond.
      #expect(loop.metrics.ticks <= 20)
    }
  }

  @Test("a precise timer and a frame clock make one tick each time they are due")  // L7, L10
  func timers() throws {
    try withLoop { loop in
      var frames = 0
      let clock = try FrameClock(on: loop, framesPerSecond: 100) { frame in
        frames += 1
        if frames == 10 { loop.stop() }
      }
      loop.run()
      clock.cancel()
      #expect(loop.metrics.ticks <= 11)
    }
  }
}
