import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("ExecutorHost")
struct ExecutorHostTests {
  /// The ways in which a turn becomes due.
  enum Cause: CaseIterable, Sendable {
    case post, commitFromAnotherThread, commit, ownPost, timer, preciseTimer, wake, selfCommit
  }

  @Test(
    "everything that makes a turn due reaches the host",
    arguments: Cause.allCases,
    [true, false]
  )
  func reaches(_ cause: Cause, _ hasLater: Bool) throws {  // C8, L5, L6
    try withLoop { loop in
      let (port, ran, queue) = (loop.port, Tally(), QueueHost())
      let host = try ExecutorHost(loop, on: queue.executor(hasLater: hasLater))
      queue.runWaiting()
      for round in 1...20 {
        switch cause {
        case .post: TestThread.run { try? port.post { ran.increment() } }
        case .commitFromAnotherThread:
          TestThread.run {
            try? port.commit(SharedAction { ran.increment() }, SharedAction.perform)
          }
        case .commit: loop.commit { ran.increment() }
        case .ownPost: try port.post { ran.increment() }
        case .timer: loop.addTimer(after: .milliseconds(1)) { _ in ran.increment() }
        case .preciseTimer:
          let due = loop.now.advanced(by: .milliseconds(1))
          try loop.addPreciseTimer(at: due) { _ in ran.increment() }
        case .wake:
          let observer = loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
            ran.increment()
          }
          TestThread.run { port.wake() }
          withExtendedLifetime(observer) {}
        case .selfCommit:
          loop.commit { loop.commit { ran.increment() } }
        }
        #expect(queue.run { ran.value >= round })
      }
      host.cancel()
    }
  }

  @Test("an idle loop gets no turn while another loop of the same waiter has timers")  // C8, L7
  func idle() throws {
    try withLoop { idle in
      try withLoop { busy in
        let (idleQueue, queue, fired) = (QueueHost(), QueueHost(), Tally())
        let idleHost = try ExecutorHost(idle, on: idleQueue.executor())
        let host = try ExecutorHost(busy, on: queue.executor())
        idle.addTimer(after: .seconds(1000)) { _ in }
        idleQueue.runWaiting()
        let turns = idleQueue.handedOver
        let timer = busy.addTimer(after: .milliseconds(1), every: .milliseconds(1)) { _ in
          fired.increment()
        }
        #expect(queue.run { fired.value >= 50 })
        timer.cancel()
        #expect(idleQueue.handedOver == turns)
        host.cancel()
        idleHost.cancel()
      }
    }
  }

  @Test("100 posts cost 100 turns, and no more")  // C8, L7
  func turnsOfPosts() throws {
    try withLoop { loop in
      let (port, ran, queue) = (loop.port, Tally(), QueueHost())
      let host = try ExecutorHost(loop, on: queue.executor())
      queue.runWaiting()
      let turns = queue.handedOver
      for round in 1...100 {
        TestThread.run { try? port.post { ran.increment() } }
        #expect(queue.run { ran.value == round })
      }
      queue.runWaiting()
      #expect(queue.handedOver == turns + 100)
      host.cancel()
    }
  }

  @Test("between two turns of a transaction that commits itself, the host polls")  // C8
  func selfCommitting() throws {
    try withLoop { loop in
      let queue = QueueHost()
      let host = try ExecutorHost(loop, on: queue.executor())
      queue.runWaiting()
      let again = Again(loop, queue)
      again.commit()
      #expect(queue.run { again.polls.count >= 200 })
      // Each turn saw another number of polls than the turn before it.
      #expect(Set(again.polls).count == again.polls.count)
      again.isOver = true
      #expect(queue.run { again.isIdle })
      host.cancel()
    }
  }

  /// A transaction that commits itself, and records how often the host has
  /// polled.
  private final class Again {
    private static let run = Selector<Again>("run") { $0.run() }
    private let loop: EventLoop
    private let queue: QueueHost
    var polls: [Int] = []
    var isOver = false
    var isIdle = false

    init(_ loop: EventLoop, _ queue: QueueHost) {
      self.loop = loop
      self.queue = queue
    }

    func commit() { loop.commit(self, Self.run) }

    private func run() {
      polls.append(queue.polls)
      if isOver { isIdle = true } else { commit() }
    }
  }

  @Test("a turn inside a callback of the loop does nothing, and its work is performed later")
  func nested() throws {  // C8, L8
    try withLoop { loop in
      let (port, queue, trace) = (loop.port, QueueHost(), Trace())
      let host = try ExecutorHost(loop, on: queue.executor())
      queue.runWaiting()
      try port.post {
        trace.record("begin")
        try? port.post { trace.record("inner") }
        queue.runWaiting()
        trace.record("end")
      }
      #expect(queue.run { trace.events.count == 3 })
      #expect(trace.events == ["begin", "end", "inner"])
      host.cancel()
    }
  }

  @Test("a host whose execute runs the work at once gets its turns from the waiter")  // C8
  func inline() throws {
    try withLoop { loop in
      let (queue, ran, own) = (QueueHost(), Tally(), System.thread)
      let queued = queue.executor()
      let host = try ExecutorHost(
        loop,
        on: HostExecutor { work in
          guard System.thread == own else { return queued.execute(work) }
          work()
          return true
        }
      )
      for round in 1...10 {
        loop.commit { ran.increment() }
        #expect(ran.value == round - 1)
        #expect(queue.run { ran.value == round })
      }
      host.cancel()
    }
  }

  @Test("a host that loses a turn gets it again")  // C8
  func lost() throws {
    try withLoop { loop in
      let (queue, ran, kept) = (QueueHost(), Tally(), Locked<[@Sendable () -> Void]>([]))
      let lost = queue.executor()
      let host = try ExecutorHost(
        loop,
        on: HostExecutor(
          execute: { work in
            // Keeps the work, so that it is not dropped.
            let isLost = kept.withLock { kept in
              kept.append(work)
              return kept.count == 2
            }
            return isLost ? true : lost.execute(work)
          },
          holdsWork: { false }
        )
      )
      loop.commit { ran.increment() }
      #expect(queue.run { ran.value == 1 })
      loop.commit { ran.increment() }
      #expect(queue.run { ran.value == 2 })
      host.cancel()
    }
  }

  @Test("a cancelled host makes no turns, and its loop can be run or hosted again")  // C8
  func cancelled() throws {
    try withLoop { loop in
      let (port, queue, ran) = (loop.port, QueueHost(), Tally())
      for _ in 0..<3 {
        let host = try ExecutorHost(loop, on: queue.executor())
        loop.commit { ran.increment() }
        host.cancel()
        host.cancel()
        // The turn that was pending.
        queue.runWaiting()
        #expect(ran.value == 0)
        TestThread.run { try? port.post { ran.increment() } }
        #expect(queue.count == 0)
        #expect(loop.run() == .finished)
        #expect(ran.value == 2)
        _ = ran.add(-2)
      }
    }
  }

  @Test("a loop that is closed while a turn is pending performs its work once")  // C8, L11
  func closedWhileHosted() async throws {
    let (queue, ran) = (QueueHost(), Tally())
    try await onLoopThread { loop in
      let port = loop.port
      _ = try ExecutorHost(loop, on: queue.executor())
      loop.commit { ran.increment() }
      TestThread.run { try? port.post { ran.increment() } }
      try loop.close()
      queue.runWaiting()
      #expect(ran.value == 2)
      #expect(throws: LoopPort.PostError.closed) { try port.post {} }
    }
  }

  @Test("another thread's turn traps with the remedy")  // C8, L1
  func wrongThread() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, queue) = (try EventLoop(), QueueHost())
      _ = try ExecutorHost(loop, on: queue.executor())
      loop.commit {}
      TestThread.run { queue.runWaiting() }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the host ran a turn on another thread than the loop's"))
  }

  @Test("a host whose execute runs work on the waiter's thread traps with the remedy")  // C8
  func alwaysInline() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, never) = (try EventLoop(), Gate())
      _ = try ExecutorHost(
        loop,
        on: HostExecutor { work in
          work()
          return true
        }
      )
      loop.commit {}
      never.wait()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("HostExecutor: execute ran the work on the thread that called it"))
  }
}
