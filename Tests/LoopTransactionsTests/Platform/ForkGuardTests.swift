import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Fork")
struct ForkGuardTests {
  #if os(Linux)
    // Linux 4.14 and newer.
    @Test("a child that no pthread_atfork handler saw is noticed, and so is a child of it")
    func unseen() async {  // L12
      await #expect(processExitsWith: .success) {
        try withLoop { loop in
          let port = loop.awaitedPort
          let ending = Process.fork(isSeen: false) {
            Self.report(port)
            guard let own = try? EventLoop() else { return }
            Self.report(own.awaitedPort)
            let grandchild = Process.fork(isSeen: false) {
              for port in [port, own.awaitedPort] { Self.report(port) }
            }
            System.logToStandardError(grandchild.standardError + "\(grandchild.status)")
            try? own.close()
          }
          #expect(ending.standardError == "forked\nposted\nforked\nforked\n0\n")
          #expect(ending.status == 0)
          let ticks = loop.metrics.ticks
          port.wake()
          loop.run(.once)
          #expect(loop.metrics.ticks == ticks + 1)
        }
      }
    }
  #endif

  private static func report(_ port: LoopPort) {
    do {
      try port.post {}
      System.logToStandardError("posted")
    } catch {
      System.logToStandardError("\(error)")
    }
  }

  @Test("running a parent's loop in the child traps with a message that says what to do")  // L12
  func childRuns() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      let ending = Process.fork { loop.run() }
      #expect(ending.status < 0)
      let text = ending.standardError
      #expect(
        text.contains(
          "EventLoop.run: the loop belongs to the parent process; make one in the child"
        )
      )
      try loop.close()
    }
  }

  @Test("a child's posts to its parent's loop are refused and send no wake")  // L12
  func childPosts() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let port = loop.awaitedPort
        // In the poll's callbacks the loop still counts as asleep.
        let poll = ForeignHandle(.poll, on: loop.libuvLoop) { _ in
          let ending = Process.fork {
            do { try port.post {} } catch { System.logToStandardError("\(error)") }
            port.wake()
            port.stop()
          }
          #expect(ending.status == 0)
          #expect(ending.standardError == "forked\n")
        }
        poll.start().send()
        loop.run(.once)
        poll.close()
        loop.run(.noWait)
        #expect(loop.metrics.wakesReceived == 0)
      }
    }
  }

  @Test("a child creates and runs its own loop")  // L12
  func childsOwn() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let ending = Process.fork {
          var performed = 0
          try? withLoop { own in
            own.commit { performed += 1 }
            own.run()
          }
          System.logToStandardError("performed \(performed)")
        }
        #expect(ending.standardError == "performed 1\n")
        #expect(loop.run() == .finished)
      }
    }
  }

  @Test("a child that closes its parent's loop or cancels its timers does not affect the parent")
  func childCloses() async {  // L12
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let port = loop.awaitedPort
        var thread: TestThread?
        let timer = try loop.addPreciseTimer(at: loop.now.advanced(by: .milliseconds(250))) { _ in
          thread = TestThread { try? port.post { port.stop() } }
        }
        // The first poll makes the kernel watch the loop's descriptors.
        loop.run(.noWait)
        let ending = Process.fork {
          timer.cancel()
          try? loop.close()
        }
        #expect(ending.status == 0)
        #expect(loop.runInTime() == .stopped)
        thread?.join()
      }
    }
  }

  @Test(
    "a child's references to its parent's loop do no harm after the loop is gone",
    arguments: [false, true]
  )  // L11, L12
  func childOutlives(closes: Bool) async {
    await #expect(processExitsWith: .success) { [closes] in
      var loop: EventLoop? = try EventLoop()
      let inherited = loop.map(Inherited.init)
      let ending = Process.fork {
        if closes { try? loop?.close() }
        loop = nil
        inherited?.use()
        System.logToStandardError("alive, current: \(EventLoop.current != nil)")
      }
      #expect(ending.status == 0)
      #expect(ending.standardError == "alive, current: false\n")
      try loop?.close()
    }
  }

  // ThreadSanitizer's runtime takes a lock on each access to a Swift global.
  @Test("a child exits even if other threads check for a fork at the same time")  // L12
  func childOfMany() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      try withLoop { loop in
        let (port, isDone) = (loop.awaitedPort, Tally())
        let asking = (0..<3).map { _ in
          TestThread { while isDone.value == 0 { port.wake() } }
        }
        for _ in 0..<200 { #expect(Process.fork(whileThreadsRun: true) {}.status == 0) }
        isDone.increment()
        for thread in asking { thread.join() }
      }
    }
  }

  @Test("a parent's queues refuse a child's elements")  // L12
  func childEnqueues() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let queue = RunLoopQueue<Witness>(on: loop) { _, _ in }
        let ending = Process.fork {
          if case .closed = queue.enqueue(Witness {}) { System.logToStandardError("closed") }
          System.logToStandardError("\(queue.count)")
        }
        #expect(ending.standardError == "closed\n0\n")
      }
    }
  }

  @Test(
    "a child does not wait for a queue's lock, whose holder does not exist in the child",
    .enabled(if: Interposed.isAvailable)
  )  // L12
  func childMeetsLock() async {
    await #expect(processExitsWith: .success) {
      var loop: EventLoop? = try EventLoop()
      var queue = loop.map { RunLoopQueue<Witness>(on: $0) { _, _ in } }
      let (isInside, mayLeave) = (Tally(), Tally())
      // The child must release the last reference, so this does not retain the
      // queue.
      let smuggled = Smuggled(queue.map(Unmanaged.passUnretained))
      let elements = (0..<100).map { _ in Witness {} }
      // Enqueue here first, so that Swift's one-time allocations are not
      // intercepted.
      let other = loop.map { RunLoopQueue<Witness>(on: $0) { _, _ in } }
      for index in elements.indices { other?.enqueue(elements[index]) }
      let thread = TestThread {
        // An element allocates only to grow the queue, and holds the queue's
        // lock meanwhile.
        Interposed.before(
          .allocation,
          {
            isInside.increment()
            while mayLeave.value == 0 { TestThread.yield() }
          }
        ) {
          for index in elements.indices {
            smuggled.value?._withUnsafeGuaranteedRef { _ = $0.enqueue(elements[index]) }
          }
        }
      }
      while isInside.value == 0 { TestThread.yield() }
      let ending = Process.fork {
        Process.endInTime()
        System.logToStandardError("removed \(queue?.remove(Witness {}) ?? true)")
        System.logToStandardError("removed \(queue?.removeAll() ?? -1), \(queue?.count ?? -1) left")
        System.logToStandardError("\(queue?.droppedCount ?? 0) dropped")
        queue?.close()
        queue = nil
        loop = nil
        System.logToStandardError("gone")
      }
      mayLeave.increment()
      thread.join()
      #expect(ending.standardError == "removed false\nremoved 0, 0 left\n0 dropped\ngone\n")
      try loop?.close()
    }
  }

  @Test("flush() and performIfNeeded() in a child perform none of its parent's work")  // L12
  func childFlushes() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let queue = RunLoopQueue<Witness>(on: loop) { _, _ in
          System.logToStandardError("handed over")
        }
        queue.enqueue(Witness {})
        let (action, carrying) = (Action { System.logToStandardError("performed") }, Carrying())
        let transaction = Transaction(action, Action.perform, on: loop)
        transaction.commit()
        loop.commit(carrying, Carrying.note, 1)
        // I15: the child performs none of the parent's work.
        let ending = Process.fork {
          queue.flush()
          #expect(!transaction.performIfNeeded())
          #expect(!loop.performIfNeeded(action, Action.perform))
          #expect(!loop.performIfNeeded(carrying, Carrying.note))
        }
        #expect(ending.status == 0)
        #expect(ending.standardError == "")
        #expect(transaction.isPending)
        #expect(queue.count == 1)
      }
    }
  }

  @Test("a child that releases its parent's loop neither traps nor reports")  // L11, L12
  func childDrops() async {
    await #expect(processExitsWith: .success) {
      var loop: EventLoop? = try EventLoop()
      let ending = Process.fork { loop = nil }
      #expect(ending.status == 0)
      #expect(ending.standardError == "")
      try loop?.close()
    }
  }
}

private final class Carrying {
  static let note = Selector<Carrying>.Carrying<Int>("fork note") { _, value in
    System.logToStandardError("performed \(value)")
  }
}

/// The objects of a loop that a user may retain.
private final class Inherited {
  private let port: LoopPort
  private let queue: RunLoopQueue<Witness>
  private let observer: Observer
  private let timer: LoopTimer
  private let block: EventLoop.IdleBlock
  private let target = Action {}
  private let transaction: Transaction

  init(_ loop: EventLoop) {
    port = loop.awaitedPort
    queue = RunLoopQueue(on: loop) { _, _ in }
    observer = loop.addObserver(for: .beforeWaiting) { _ in }
    timer = loop.addTimer(after: .seconds(3600)) { _ in }
    block = loop.whenIdle { System.logToStandardError("idle") }
    transaction = Transaction(target, Action.perform, on: loop)
  }

  func use() {
    queue.enqueue(Witness {})
    queue.flush()
    queue.close()
    observer.cancel()
    timer.keepsLoopAlive = false
    timer.cancel()
    _ = block.isWaiting
    block.cancel()
    _ = transaction.isPending
    transaction.cancel()
    #expect(throws: LoopPort.PostError.forked) { try port.post {} }
  }
}
