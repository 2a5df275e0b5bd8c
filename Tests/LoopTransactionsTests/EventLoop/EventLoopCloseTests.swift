import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

private final class Element: Sendable {}

@Suite("EventLoop.close")
struct EventLoopCloseTests {
  @Test("close() performs posts, queues and transactions, and fires no timer")  // L11
  func performsOwed() throws {
    let trace = Trace()
    let loop = try EventLoop()
    let port = loop.awaitedPort
    let queue = RunLoopQueue<Element>(on: loop) { _, isDrained in
      trace.record(isDrained ? "last element" : "element")
    }
    loop.addTimer(after: .zero) { _ in trace.record("timer") }
    loop.addObserver(for: [.beforeWaiting, .exit]) { _ in trace.record("observer") }
    TestThread.run {
      try? port.post { trace.record("post") }
      queue.enqueue(Element())
      queue.enqueue(Element())
    }
    loop.commit { trace.record("transaction") }
    try loop.close()
    #expect(trace.events == ["post", "transaction", "element", "last element"])
  }

  @Test("close() performs commits made by the work it performs")  // L11
  func performsChain() throws {
    let trace = Trace()
    let loop = try EventLoop()
    loop.commit { loop.commit { loop.commit { trace.record("third") } } }
    try loop.close()
    #expect(trace.events == ["third"])
  }

  @Test("a loop may be closed twice")  // L11
  func again() throws {
    let loop = try EventLoop()
    try loop.close()
    try loop.close()
  }

  @Test("close() throws an error that names open foreign handles, and leaves the loop usable")
  func foreignHandles() throws {  // L11
    let loop = try EventLoop()
    loop.addTimer(after: .seconds(3600)) { _ in }
    let handles = [ForeignHandle.Kind.poll, .idle].map {
      ForeignHandle($0, on: loop.libuvLoop) { _ in }
    }
    let error = #expect(throws: UVError.self) { try loop.close() }
    #expect(error?.name == "EBUSY")
    let text = error?.description ?? ""
    #expect(text.contains("open: idle, poll"))
    #expect(text.contains("close the handles that are still open"))
    var performed = 0
    loop.commit { performed += 1 }
    #expect(loop.run(.noWait) == .ticked)
    #expect(performed == 1)
    for handle in handles { handle.close() }
    try loop.close()
  }

  @Test("a post that the loop's own thread makes during close() is refused")  // L2, L11
  func postWhileClosing() throws {
    let trace = Trace()
    let loop = try EventLoop()
    let port = loop.awaitedPort
    loop.commit {
      do {
        try port.post { trace.record("ran") }
        trace.record("accepted")
      } catch {
        trace.record("\(error)")
      }
    }
    try loop.close()
    #expect(trace.events == ["closed"])
  }

  @Test("a post from a deinit that close() triggers is refused or run, not lost")  // L2, L11
  func postByDeinit() throws {
    let trace = Trace()
    let loop = try EventLoop()
    let port = loop.awaitedPort
    loop.addObserver(for: .beforeWaiting) { [witness = Self.poster(port, trace)] _ in
      witness.touch()
    }
    try loop.close()
    #expect(trace.events == ["accepted", "ran"] || trace.events == ["closed"])
  }

  private static func poster(_ port: LoopPort, _ trace: Trace) -> Witness {
    Witness {
      do {
        try port.post { trace.record("ran") }
        trace.record("accepted")
      } catch {
        trace.record("\(error)")
      }
    }
  }

  /// The kinds of work that a released object may add to a loop.
  enum Addition: CaseIterable, Sendable {
    case timer, transaction, queue, observer

    /// Adds the work to `loop`, with `witness` as its capture.
    func add(to loop: EventLoop, _ witness: Witness) {
      switch self {
      case .timer:
        loop.addTimer(after: .milliseconds(1)) { [witness] _ in
          witness.touch()
          Issue.record("a timer fired on a closed loop")
        }
      case .transaction: loop.commit { witness.touch() }
      case .queue: RunLoopQueue<Element>(on: loop) { _, _ in witness.touch() }.close()
      case .observer: loop.addObserver(for: .exit) { _ in witness.touch() }
      }
    }
  }

  @Test(
    "work added by a deinit that close() triggers is released, too",
    arguments: Addition.allCases
  )
  func addedByDeinit(addition: Addition) throws {  // L11
    let trace = Trace()
    let loop = try EventLoop()
    let smuggled = Smuggled(loop)
    let outer = Witness {
      addition.add(to: smuggled.value, Witness { trace.record("released") })
      trace.record("added")
    }
    loop.addObserver(for: .beforeWaiting) { [outer] _ in outer.touch() }
    _ = consume outer
    try loop.close()
    #expect(trace.events == ["added", "released"])
  }

  @Test("a queue created by a deinit that close() triggers accepts no elements")  // L11, Q8
  func queueByDeinit() async {
    await #expect(processExitsWith: .success) {
      var loop: EventLoop? = try EventLoop()
      let made = Locked<RunLoopQueue<Element>?>(nil)
      let smuggled = Smuggled(Weak(loop))
      let maker = Witness {
        guard let loop = smuggled.value.loop else { return }
        let queue = RunLoopQueue<Element>(on: loop) { _, _ in }
        made.withLock { $0 = queue }
      }
      loop?.addObserver(for: .beforeWaiting) { [maker] _ in maker.touch() }
      _ = consume maker
      try loop?.close()
      loop = nil
      let queue = made.withLock { $0 }
      if case .closed = queue?.enqueue(Element()) {} else { Issue.record("accepted an element") }
      queue?.flush()
    }
  }

  @Test("close() releases a transaction that keeps committing itself, and reports it")  // L11
  func endless() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let trace = Trace()
      let loop = try EventLoop()
      func again(_ witness: Witness) { loop.commit { again(witness) } }
      again(Witness { trace.record("released") })
      try loop.close()
      #expect(trace.events == ["released"])
    }
    #expect(
      said(
        result,
        "dropped 1 transactions that kept committing themselves"
      )
    )
  }

  @Test("a thousand loops on one thread, opened and closed in turn, all perform their work")  // L11
  func many() throws {
    var performed = 0
    for _ in 0..<1000 { try withLoop { $0.commit { performed += 1 } } }
    #expect(performed == 1000)
  }

  @Test("several threads can open and close loops at the same time")  // L1, L11
  func threads() throws {
    let performed = Tally()
    let threads = (0..<4).map { _ in
      TestThread {
        for _ in 0..<50 {
          try? withLoop { loop in
            loop.commit { performed.increment() }
            loop.run()
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(performed.value == 200)
  }

  @Test(
    "close() waits for a wake that another thread is about to write",
    .enabled(if: Interposed.isAvailable),
    arguments: WakeMethod.allCases
  )  // L11
  func waitsForSender(method: WakeMethod) throws {
    let loop = try EventLoop(wakeMethod: method)
    let (port, trace, isWriting, mayWrite) = (loop.awaitedPort, Trace(), Tally(), Tally())
    var sender: TestThread?
    // The loop does not see the post's wake, so this handle ends the run.
    let poll = ForeignHandle(.poll, on: loop.libuvLoop) { _ in loop.stop() }.start()
    // The loop counts as asleep just before it blocks, so this post wakes it.
    Interposed.beforeBlocking({ _ in
      guard sender == nil else { return }
      sender = TestThread {
        Interposed.before(
          .write,
          {
            isWriting.increment()
            while mayWrite.value == 0 { TestThread.yield() }
            trace.record("writes")
          }
        ) { try? port.post { trace.record("runs") } }
      }
      while isWriting.value == 0 { TestThread.yield() }
      poll.send()
    }) { _ = loop.runInTime() }
    poll.close()
    #expect(trace.take() == ["runs"])
    try Interposed.before(
      .yield,
      {
        trace.record("waits")
        mayWrite.increment()
      }
    ) { try loop.close() }
    trace.record("closed")
    mayWrite.increment()
    sender?.join()
    #expect(trace.events == ["waits", "writes", "closed"])
  }

  #if !DEBUG
    @Test("transactions of a loop that was released open are released and not pending")  // L11
    func droppedWithTransactions() async {
      await #expect(processExitsWith: .success) {
        Interposed.forgiveLeaks()
        let trace = Trace()
        var loop: EventLoop? = try EventLoop()
        let kept = Action {}
        let other = loop.map { Transaction(kept, Action.perform, on: $0) }
        let asker = Witness { [smuggled = Smuggled(other)] in
          let isPending = smuggled.value?.isPending ?? true
          trace.record("released, the other pending: \(isPending)")
          smuggled.value?.cancel()
        }
        var target: Action? = Action { [asker] in asker.touch() }
        let transaction = target.flatMap { target in
          loop.map { Transaction(target, Action.perform, on: $0) }
        }
        _ = consume asker
        transaction?.commit()
        other?.commit()
        target = nil
        loop = nil
        #expect(trace.events == ["released, the other pending: true"])
        #expect(transaction?.isPending == false)
        #expect(other?.isPending == false)
      }
    }
  #endif

  @Test("an error that is thrown past an open loop or transaction is seen")  // L11, O6
  func thrownPast() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // Inlined into one function, an optimized build may release the loop first, which
      // ends the transaction without a report.
      @inline(never) func begin(on loop: EventLoop) throws {
        let transaction = AsyncTransaction(on: loop, name: "begun")
        transaction.add { _ in }
        throw UVError(code: -1, operation: "begin")
      }
      @inline(never) func begin() throws {
        let loop = try EventLoop()
        try begin(on: loop)
      }
      do { try begin() } catch { fatalError("\(error)") }
    }
    #expect(said(result, "AsyncTransaction begun, created at"))
    #expect(said(result, "EventLoop: released while open"))
    #expect(said(result, "begin: "))
  }

  @Test("EventLoop.run closes its loop in every way of leaving")  // L11
  func owned() throws {
    var (ports, performed): ([LoopPort], Int) = ([], 0)
    try EventLoop.run { loop in
      ports.append(loop.port)
      loop.commit { performed += 1 }
      loop.addTimer(after: .zero) { _ in performed += 1 }
    }
    #expect(performed == 2)
    struct Wrong: Error {}
    #expect(throws: Wrong.self) {
      try EventLoop.run { loop in
        ports.append(loop.port)
        loop.commit { performed += 1 }
        // Closing cancels it.
        loop.addTimer(after: .zero) { _ in performed += 1 }
        throw Wrong()
      }
    }
    #expect(performed == 3)
    for port in ports { #expect(throws: LoopPort.PostError.closed) { try port.post {} } }
  }

  @Test("releasing an open loop is reported")  // L11
  func dropped() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Interposed.forgiveLeaks()
      var loop: EventLoop? = try EventLoop()
      let port = loop?.awaitedPort
      loop?.commit {}
      loop = nil
      #expect(EventLoop.current == nil)
      #expect(throws: LoopPort.PostError.closed) { try port?.post {} }
    }
    let message = "EventLoop: released while open; call close() on its thread first, or use"
    #expect(said(result, message))
  }
}

private final class Weak {
  private(set) weak var loop: EventLoop?

  init(_ loop: EventLoop?) { self.loop = loop }
}
