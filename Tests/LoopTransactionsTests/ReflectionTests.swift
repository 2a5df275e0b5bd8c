import LoopTransactions
import LoopTransactionsDispatch
import LoopTransactionsFoundation
import LoopTransactionsTesting
import TestSupport
import Testing

/// One value of every public type, by name.
private struct Samples {
  private(set) var values: [String: Any] = [:]
  private let stepped: SteppedLoop
  private let scheduler = OperationScheduler.alone("samples")
  private let frozen: FrozenWorkers
  private let sharedCard: SharedCard
  private let group: LoopGroup

  init() throws {
    stepped = try SteppedLoop()
    sharedCard = SharedCard("shared", stepped.trace)
    group = try LoopGroup(count: 1)
    frozen = FrozenWorkers(scheduler, 2)
    try addLoop()
    addTransactions()
    try addQueues()
    addOperations()
    try addConcurrency()
    add("LoopGroup", group)
    add("LoopThread", group.next())
    try addEventSources()
  }

  func close() throws {
    try group.shutDown()
    frozen.thaw()
    try stepped.close()
  }

  private mutating func add<Value>(_ name: String, _ value: Value) { values[name] = value }

  private mutating func addLoop() throws {
    let loop = stepped.loop
    add("EventLoop", loop)
    add("EventLoop.Activity", EventLoop.Activity.beforeWaiting)
    add("EventLoop.Mode", EventLoop.Mode.once)
    add("EventLoop.RunResult", EventLoop.RunResult.stopped)
    add("LoopPort", loop.port)
    add("LoopPort.PostError", LoopPort.PostError.closed)
    add("EventLoop.Budget", EventLoop.Budget())
    add("Observer", loop.addObserver(for: .exit) { _ in })
    var firing: LoopTimer.Firing?
    add("LoopTimer", loop.addTimer(after: .milliseconds(1)) { firing = $0 })
    var report: TickReport?
    loop.tickHandler = { report = $0 }
    var frame: FrameClock.Frame?
    let clock = try FrameClock(on: loop) { frame = $0 }
    var frameReport: FrameReport?
    clock.frameHandler = { frameReport = $0 }
    add("FrameClock", clock)
    stepped.advance(by: .milliseconds(20))
    add("LoopTimer.Firing", firing as Any)
    add("FrameClock.Frame", frame as Any)
    add("FrameReport", frameReport as Any)
    add("FrameReport.Cause", FrameReport.Cause.notScheduled)
    clock.frameHandler = nil
    loop.tickHandler = nil
    add("TickReport", report as Any)
    add("Work", report?.longest?.work as Any)
    add("Work.Kind", Work.Kind.post)
    add("LoopClock", loop.clock)
    add("LoopClock.Instant", loop.now)
    add("LoopMetrics", loop.metrics)
    add("LoopLatencies", LoopLatencies())
    add("LoopHold", LoopHold(thread: "sample", duration: .seconds(1), cause: .computing))
    add("LoopHold.Cause", LoopHold.Cause.blocked(in: "read"))
    add("LoopWatchdog", try LoopWatchdog(threshold: .seconds(1)) { _ in })
    let trace = try LoopTrace(eventsPerThread: 16)
    trace.stop()
    add("LoopTrace", trace)
    add("LoopTrace.TraceError", LoopTrace.TraceError.isRunning)
    add("LatencyHistogram", LatencyHistogram())
    add("PrometheusText", PrometheusText())
    add("UVError", UVError(code: -1, operation: "sample"))
    add("Locked", Locked([1]))
    add("EventLoop.IdleBlock", loop.whenIdle {})
    add("DelayedPost", try loop.port.post(after: .seconds(1)) {})
    add("DelayedPost.State", DelayedPost.State.waiting)
  }

  private mutating func addTransactions() {
    let card = Card("a", stepped.trace)
    let failing = Selector<Card>("failing sample") { _ in throw CancellationError() }
    var failure: TransactionError?
    stepped.loop.errorHandler = { failure = $0 }
    stepped.loop.commit(card, failing)
    stepped.runUntilIdle()
    add("TransactionError", failure as Any)
    let kept = Transaction(card, Card.layout, on: stepped.loop)
    kept.commit()
    add("Transaction", kept)
    let shared = Selector<SharedCard>("sample") { _ in }
    add("PortTransaction", PortTransaction(sharedCard, shared, on: stepped.loop.port))
    add("Transaction.Hold", Transaction.Hold.weak)
    add("Selector", Card.layout)
    add("Selector.Carrying", Selector<Card>.Carrying<Int>("sample") { _, _ in })
    add("Selector.Carrying.Keep", Selector<Card>.Carrying<Int>.Keep.last)
  }

  private mutating func addQueues() throws {
    let queue = RunLoopQueue<Card>(on: stepped.loop, handler: nil)
    add("QueueOutcome", queue.enqueue(Card("b", stepped.trace)))
    add("RunLoopQueue", queue)
    add("RunLoopQueue.Membership", RunLoopQueue<Card>.Membership.weak)
    let values = RunLoopValueQueue<Int>(on: stepped.loop, exclusiveBy: { $0 }) { _, _ in }
    values.enqueue(1)
    add("RunLoopValueQueue", values)
    add("QueueCapacity", QueueCapacity(4, whenFull: .refuse))
    add("QueueCapacity.WhenFull", QueueCapacity.WhenFull.refuse)
    add("BatchSize", BatchSize.unlimited)
    let host = try EventLoop()
    add("Embedding", Embedding(host))
    try host.close()
    let (hosted, executor) = (try EventLoop(), QueueHost().executor())
    add("HostExecutor", executor)
    add("ExecutorHost", try ExecutorHost(hosted, on: executor))
    try hosted.close()
    add("InteractiveMode", InteractiveMode(of: [scheduler], on: stepped.loop))
  }

  private mutating func addOperations() {
    let transaction = AsyncTransaction(on: stepped.loop, scheduler: scheduler)
    add("AsyncTransaction.Operation", transaction.add { _ in 1 })
    let flights = SingleFlight<String, Int>(on: scheduler)
    transaction.add(flights, for: "a") { _ in 1 }
    stepped.loop.transactionGroup.add(transaction)
    add("AsyncTransaction", transaction)
    add("AsyncTransaction.State", AsyncTransaction.State.open)
    add("AsyncTransaction.Start", AsyncTransaction.Start.onCommit)
    add("AsyncTransaction.Outcome", AsyncTransaction.Outcome.value(1))
    add("TransactionGroup", stepped.loop.transactionGroup)
    add("TransactionContainer", TransactionContainer(on: stepped.loop, scheduler: scheduler))
    add("OperationScheduler", scheduler)
    add("OperationPriority", OperationPriority.high)
    add("ScheduledOperation", scheduler.add { _ in })
    scheduler.measuresWaits = true
    add("SchedulerMetrics", scheduler.metrics)
    add("SchedulerMetrics.Wait", scheduler.metrics.waits.first as Any)
    add("SingleFlight", flights)
    add("SerialQueue", SerialQueue("sample", on: scheduler))
    add("SerialQueuePool", SerialQueuePool("sample", count: 2, on: scheduler))
    add("WaitCycleError", waitCycle() as Any)
    add("WaitCycleError.Party", WaitCycleError.Party.operation("sample"))
  }

  private func waitCycle() -> WaitCycleError? {
    guard let loop = try? EventLoop() else { return nil }
    let port = loop.port
    let transaction = AsyncTransaction(on: loop, scheduler: .alone())
    var cycle: WaitCycleError?
    transaction.add { _ in
      try port.postAndWait { 1 }
    } completion: {
      if case .failed(let error) = $0 { cycle = error as? WaitCycleError }
    }
    transaction.waitUntilComplete()
    try? loop.close()
    return cycle
  }

  private mutating func addEventSources() throws {
    let (pair, loop) = (SocketPair(), stepped.loop)
    let watcher = try loop.watch(pair.near, for: .readable) { _ in }
    add("DescriptorWatcher", watcher)
    watcher.cancel()
    add("DescriptorEvents", DescriptorEvents.readable)
    // 23: SIGURG, which the system ignores by default.
    let signal = try loop.onSignal(23) {}
    add("SignalWatcher", signal)
    signal.cancel()
    let process = Process.start("exit 0")
    let child = try loop.onExit(of: process) { _ in }
    add("ChildWatcher", child)
    child.cancel()
    Process.reap(process)
    add("ChildWatcher.Status", ChildWatcher.Status.exited(0))
    add("EventLoop.MemoryStall", EventLoop.MemoryStall.full)
  }

  private mutating func addConcurrency() throws {
    add("LoopBound", LoopBound([1], on: stepped.loop))
    let activities = stepped.loop.activities(.beforeWaiting)
    add("LoopActivities", activities)
    add("LoopActivities.Iterator", activities.makeAsyncIterator())
    add("MainQueueBridge.SetupError", MainQueueBridge.SetupError.alreadyServed)
    add("SteppedLoop", stepped)
    add("Sentinel", Sentinel())
    add("Sentinel.Reader", Sentinel().reader)
    add("SteppedScheduler", SteppedScheduler(on: stepped))
    add("SteppedLoop.MovedError", SteppedLoop.MovedError(operation: "sample"))
    add("SteppedLoop.IsolationError", SteppedLoop.IsolationError(operation: "sample"))
    add("SteppedLoop.SleepError", SteppedLoop.SleepError(remaining: .seconds(1)))
    add("SteppedLoop.UncommittedError", SteppedLoop.UncommittedError(transactions: ["sample"]))
    add("SteppedLoop.OrderError", SteppedLoop.OrderError.tooManyOrders(limit: 1))
    add("Trace", stepped.trace)
    add("SeededGenerator", SeededGenerator(seed: 1))
  }
}

/// A sample of each public type that is isolated to the main actor, by its name. The
/// closure creates a host on the loop, passes it to its second argument, and cancels it.
private let hostSamples: [String: @MainActor (EventLoop, (Any) -> Void) throws -> Void] = [
  "DispatchHost": { loop, body in
    let host = try DispatchHost(loop)
    body(host)
    host.cancel()
  },
  "RunLoopHost": { loop, body in
    let host = try RunLoopHost(loop)
    body(host)
    host.cancel()
  },
]

private struct Holder {
  let value: Any
}

@Suite("Reflection")
struct ReflectionTests {
  @Test("every public type can be dumped, by itself and in a struct, on any thread")
  func dumps() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let samples = try Samples()
      for (name, value) in samples.values.sorted(by: { $0.key < $1.key }) {
        // If a dump ends the process, the last name printed is the type that
        // caused it.
        System.logToStandardError(name)
        dumpAll(Holder(value: value))
        nonisolated(unsafe) let value = value
        everywhere(1) { _ in dumpAll(Holder(value: value)) }
      }
      try samples.close()
    }
    let named = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      named.hasSuffix("Work.Kind\n"),
      "the process ended while dumping \(named.split(separator: "\n").last ?? "")"
    )
  }

  @Test("DispatchHost and RunLoopHost can be dumped on the main actor and on other threads")
  func hosts() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try await MainActor.run {
        for (name, sample) in hostSamples.sorted(by: { $0.key < $1.key }) {
          System.logToStandardError(name)
          let loop = try EventLoop()
          try sample(loop) { value in
            dumpAll(Holder(value: value))
            nonisolated(unsafe) let value = value
            everywhere(1) { _ in dumpAll(Holder(value: value)) }
          }
          try loop.close()
        }
      }
    }
    let named = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(named == "DispatchHost\nRunLoopHost\n")
  }

  @Test("every public type of the package has a sample that is dumped")
  func complete() throws {
    let samples = try Samples()
    defer { try? samples.close() }
    let known = Set(samples.values.keys).union(hostSamples.keys)
    let types = try SourceTypes([
      "Sources/LoopTransactions", "Sources/LoopTransactionsTesting",
      "Sources/LoopTransactionsDispatch", "Sources/LoopTransactionsFoundation",
    ])
    // The bridge needs the main thread. `MainQueueBridgeTests` dumps it.
    let elsewhere: Set = ["MainQueueBridge"]
    let wanted = types.declared.filter { $0.isPublic && !$0.isProtocol }.map(\.name)
    #expect(wanted.count > 50)
    #expect(Set(wanted).subtracting(known).subtracting(elsewhere) == [])
    #expect(known.subtracting(wanted) == [])
  }

  @Test(
    "no type in any package exposes a property to reflection that reflection traps on",
    arguments: [
      "Sources/LoopTransactions", "Sources/LoopTransactionsTesting",
      "Sources/LoopTransactionsDispatch", "Sources/LoopTransactionsFoundation",
      "Sources/LoopTransactionsMain", "Sources/LoopTransactionsMainTesting",
      "Sources/LoopbenchKit", "Sources/LoopbenchCommands", "Sources/LoopbenchFoundation",
      "Sources/LoopTransactionsIO", "Display/Sources", "Hosts/Sources",
    ]
  )
  func guarded(folder: String) throws {
    let types = try SourceTypes([folder])
    #expect(!types.declared.isEmpty)
    #expect(types.trapping.filter { !types.isCustom($0) } == [])
    // Check that the search finds trapping properties.
    if folder == "Sources/LoopTransactions" { #expect(types.trapping.count > 20) }
  }

  @Test("a dump shows a scheduler's name and counts, and a transaction's name and state")
  func useful() throws {
    let scheduler = OperationScheduler.alone("decode", workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    try withLoop { loop in
      let transaction = AsyncTransaction(on: loop, name: "cards", scheduler: scheduler)
      #expect(text(scheduler).contains("name: \"decode\""))
      #expect(text(scheduler).contains("workerLimit: 1"))
      #expect(text(transaction).contains("name: \"cards\""))
      #expect(text(transaction).contains("AsyncTransaction.State.open"))
      let queue = SerialQueue("disk", on: scheduler)
      for _ in 0..<3 { queue.add {} }
      #expect(text(queue).contains("count: 3"))
    }
    frozen.thaw()
  }

  // Does not use `dump`, which asks Swift's runtime for type names. If another
  // thread holds the runtime's lock during the fork, the child waits for that
  // lock forever.
  @Test("a scheduler's mirror in a child process does not wait for the parent's lock")
  func forked() async {
    // In a separate process, where no other test holds a lock of the runtime.
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      let scheduler = OperationScheduler.alone("inherited")
      let queue = SerialQueue("disk", on: scheduler)
      let flights = SingleFlight<Int, Int>(on: scheduler)
      func count() -> Int {
        scheduler.customMirror.children.count + queue.customMirror.children.count
          + flights.customMirror.children.count
      }
      // Count in the parent first, so that the child finds the runtime's tables
      // filled.
      let expected = count()
      let ending = Process.fork { if count() == 0, expected > 0 { fatalError("no children") } }
      #expect(ending.status == 0, "\(ending.standardError)")
    }
  }
}

private func text(_ value: Any) -> String {
  var text = ""
  dump(value, to: &text)
  return text
}

/// Uses reflection like `dump`, a failed expectation and `print` do.
private func dumpAll(_ value: Any) {
  #expect(!text(value).isEmpty)
  #expect(!String(describing: value).isEmpty)
  #expect(!String(reflecting: value).isEmpty)
}
