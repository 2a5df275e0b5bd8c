import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One step in the life of a thread.
private enum Step: CaseIterable {
  case stop, join, joinElsewhere, stopOnLoop, post

  func take(_ thread: LoopThread, _ joined: Tally) {
    switch self {
    case .stop: thread.stop()
    case .join:
      thread.stop()
      joinNow(thread, joined)
    case .joinElsewhere: TestThread { joinNow(thread, joined) }.leave()
    // Refused if the loop has ended.
    case .stopOnLoop: try? thread.port.post { EventLoop.current?.stop() }
    case .post: try? thread.port.post {}
    }
  }
}

private func joinNow(_ thread: LoopThread, _ joined: Tally) {
  #expect(throws: Never.self) { try thread.join() }
  joined.increment()
}

extension TestThread {
  /// Lets the thread end by itself.
  fileprivate func leave() {}
}

@Suite("LoopThread: the end")
struct LoopThreadEndTests {
  @Test("stopping and joining in any order ends the thread once, and every join returns")  // G1
  func orders() throws {
    for first in Step.allCases {
      for second in Step.allCases {
        for third in Step.allCases {
          let (thread, joined) = (try LoopThread(name: "orders"), Tally())
          let steps = [first, second, third]
          for step in steps { step.take(thread, joined) }
          thread.stop()
          try thread.join()
          let joins = steps.count { $0 == .join || $0 == .joinElsewhere }
          #expect(inTime { joined.value == joins }, "\(steps)")
          #expect(throws: LoopPort.PostError.closed, "\(steps)") { try thread.port.post {} }
        }
      }
    }
  }

  @Test("many threads and tasks can join one thread")  // G1
  func joins() async throws {
    let (thread, joined) = (try LoopThread(name: "joins"), Tally())
    let threads = (0..<4).map { _ in TestThread { joinNow(thread, joined) } }
    let identity = try await thread.run { _ in System.thread }
    #expect(joined.value == 0)
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 { group.addTask { try await thread.join() } }
      thread.stop()
      try await group.waitForAll()
    }
    for thread in threads { thread.join() }
    #expect(joined.value == 4)
    #expect(identity != 0)
  }

  @Test("after the end, a thread that has the same identity can call postAndWait and join()")
  func sameIdentity() async {  // G1, L2
    await #expect(processExitsWith: .success) {
      let thread = try LoopThread(name: "ended")
      let identity = try thread.port.postAndWait { System.thread }
      thread.stop()
      try thread.joinBlocking()
      let met = Tally()
      for _ in 0..<100 where met.value == 0 {
        TestThread.run {
          guard System.thread == identity else { return }
          met.increment()
          #expect(throws: LoopPort.PostError.closed) { try thread.port.postAndWait {} }
          #expect(throws: Never.self) { try thread.join() }
        }
      }
      // The C library reuses the memory of ended threads.
      if Interposed.isAvailable { #expect(met.value == 1) }
    }
  }

  @Test("a task that prefers the loop can wait for the thread's end")  // G1, C1
  func joinsFromLoop() async throws {
    let thread = try LoopThread(name: "prefers")
    let task = Task(executorPreference: thread.port) {
      thread.stop()
      try await thread.join()
      return System.thread
    }
    let identity = try await task.value
    #expect(identity != 0)
    #expect(throws: LoopPort.PostError.closed) { try thread.port.post {} }
  }

  @Test("a stop directly after the start ends the thread")  // G1, L8
  func stopsAtOnce() throws {
    for _ in 0..<100 {
      let (thread, tally) = (try LoopThread(name: "at once"), Tally())
      try thread.port.post { tally.increment() }
      thread.stop()
      try thread.join()
      #expect(tally.value == 1)
    }
  }

  @Test("joining on the thread itself traps with a message that says what to do")  // G1
  func joinsItself() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let thread = try LoopThread(name: "itself")
      try await thread.run { _ in try thread.join() }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains("LoopThread.join: must not be called on the thread itself; call stop() there")
    )
  }

  @Test("a released thread performs the work handed over, and ends")  // G1, L5
  func released() async throws {
    let (tally, ended) = (Tally(), Gate())
    var thread: LoopThread? = try LoopThread(name: "released")
    let port = try #require(thread?.port)
    // The loop releases the timer's captures when it is closed.
    try await thread?.run { loop in
      let witness = Witness { ended.open() }
      loop.addTimer(after: .seconds(1000), every: .seconds(1000)) { _ in witness.touch() }
    }
    for _ in 0..<10 { try port.post { tally.increment() } }
    thread = nil
    #expect(ended.waitInTime())
    #expect(tally.value == 10)
    #expect(inTime { (try? port.post {}) == nil })
  }

  @Test("a thread whose last reference its own loop releases ends without a deadlock")  // G1
  func releasedOnItself() throws {
    let (box, ended) = (Locked<LoopThread?>(try LoopThread(name: "its own")), Gate())
    let port = try #require(box.withLock { $0?.port })
    try port.post {
      let witness = Witness { ended.open() }
      EventLoop.current?.addTimer(after: .seconds(1000)) { _ in witness.touch() }
      let last = box.withLock { $0.take() }
      withExtendedLifetime(last) {}
    }
    #expect(ended.waitInTime())
  }

  @Test("an error while closing is reported on standard error and thrown by every join")  // G1
  func closeFails() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let thread = try LoopThread(name: "failing")
      try thread.port.postAndWait {
        guard let loop = EventLoop.current else { return }
        // Open for the rest of the process.
        _ = Unmanaged.passRetained(ForeignHandle(.timer, on: loop.libuvLoop) { _ in })
      }
      thread.stop()
      await #expect(throws: UVError.self) { try await thread.join() }
      let error = #expect(throws: UVError.self) { try thread.joinBlocking() }
      #expect(error?.name == "EBUSY")
      #expect(error?.operation == "EventLoop.close (open: timer)")
      #expect(throws: LoopPort.PostError.closed) { try thread.port.post {} }
      // Without a leak check, because the open loop leaks.
      _exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("LoopThread 'failing': EventLoop.close (open: timer)"))
  }

  @Test("a thousand threads leave no descriptor and no thread behind")  // G1, L11
  func thousand() async {
    await #expect(processExitsWith: .success) {
      func startAndEnd(_ number: Int) throws {
        let thread = try LoopThread(name: "thousand")
        try thread.port.post {}
        // Half of them end without a join.
        if number.isMultiple(of: 2) { return }
        thread.stop()
        try thread.join()
      }
      // libuv opens descriptors of its own with the first loop.
      try startAndEnd(1)
      let before = Process.openDescriptors
      for number in 0..<Interposed.amount(1000, debug: 1000, sanitized: 200) {
        try startAndEnd(number)
      }
      // Dispatch opens a few of its own when a worker is busy for a second.
      let hasClosed = inTime { Process.openDescriptors < before + 10 }
      let haveEnded = inTime { Process.threadNames?.contains("thousand") != true }
      guard !hasClosed || !haveEnded else { return }
      let threads = Process.threadNames ?? []
      System.logToStandardError("\(before) descriptors before, now \(Process.descriptorNames)")
      System.logToStandardError("threads: \(threads)")
      exit(EXIT_FAILURE)
    }
  }

  @Test("in a forked child stop() and join() return, posts are refused, and new threads work")
  func forked() async {  // G1, L12
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      var thread: LoopThread? = try LoopThread(name: "parent's")
      var group: LoopGroup? = try LoopGroup(name: "parents", count: 2)
      let ending = Process.fork {
        do {
          thread?.stop()
          try thread?.join()
          try group?.shutDown()
          try thread?.port.post {}
        } catch { System.logToStandardError("\(error)") }
        thread = nil
        group = nil
        // ThreadSanitizer ends a child that starts a thread.
        if Interposed.isSanitized { return }
        let (own, tally) = (try? LoopThread(name: "child's"), Tally())
        try? own?.port.post { tally.increment() }
        own?.stop()
        try? own?.join()
        System.logToStandardError("performed \(tally.value)")
      }
      let performed = Interposed.isSanitized ? "" : "performed 1\n"
      #expect(ending.standardError == "forked\n" + performed)
      #expect(ending.status == 0)
      let tally = Tally()
      try thread?.port.post { tally.increment() }
      try group?.joinBlocking()
      thread?.stop()
      try thread?.joinBlocking()
      #expect(tally.value == 1)
    }
  }
}

extension LoopThread {
  /// The blocking `join()`, for asynchronous tests.
  fileprivate func joinBlocking() throws(UVError) { try join() }
}

extension LoopGroup {
  /// The blocking `shutDown()`, for asynchronous tests.
  fileprivate func joinBlocking() throws(UVError) { try shutDown() }
}
