import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

private final class Label: Sendable {
  static let layout = Selector<Label>("trap layout") { _ in }
  static let scroll = Selector<Label>.Carrying<Int>("trap scroll") { _, _ in }
}

/// A loop and its objects, for calls from the wrong thread or at the wrong
/// time.
private struct Fixture {
  let loop: EventLoop
  let observer: Observer
  let timer: LoopTimer
  let clock: FrameClock
  let label = Label()
  let transaction: Transaction
  let queue: RunLoopQueue<Label>
  let idle: EventLoop.IdleBlock

  init() throws {
    loop = try EventLoop()
    observer = loop.addObserver(for: .exit) { _ in }
    timer = loop.addTimer(after: .seconds(1)) { _ in }
    clock = try FrameClock(on: loop) { _ in }
    transaction = Transaction(label, Label.layout, on: loop)
    queue = RunLoopQueue(on: loop, handler: nil)
    idle = loop.whenIdle {}
  }
}

/// A call that must be made on the loop's thread.
enum LoopCall: String, CaseIterable, Codable, Sendable {
  case run = "EventLoop.run"
  case runOnce = "EventLoop.run "
  case runUntil = "EventLoop.run  "
  case stop = "EventLoop.stop"
  case close = "EventLoop.close"
  case port = "EventLoop.port"
  case waitsForPosts = "EventLoop.waitsForPosts"
  case askWaitsForPosts = "EventLoop.waitsForPosts "
  case addObserver = "EventLoop.addObserver"
  case addTimer = "EventLoop.addTimer"
  case addPreciseTimer = "EventLoop.addPreciseTimer"
  case budget = "EventLoop.budget"
  case postCapacity = "EventLoop.postCapacity"
  case measuresTime = "EventLoop.measuresTime"
  case errorHandler = "EventLoop.errorHandler"
  case now = "EventLoop.now"
  case metrics = "EventLoop.metrics"
  case askBudget = "EventLoop.budget "
  case askPostCapacity = "EventLoop.postCapacity "
  case askMeasuresTime = "EventLoop.measuresTime "
  case askErrorHandler = "EventLoop.errorHandler "
  case post = "EventLoop.post"
  case whenIdle = "EventLoop.whenIdle"
  case idleIsWaiting = "EventLoop.IdleBlock.isWaiting"
  case cancelIdle = "EventLoop.IdleBlock.cancel"
  case commit = "EventLoop.commit"
  case commitValue = "EventLoop.commit "
  case isPending = "EventLoop.isPending"
  case cancel = "EventLoop.cancel"
  case performIfNeeded = "EventLoop.performIfNeeded"
  case makeTransaction = "Transaction.init"
  case transactionCommit = "Transaction.commit"
  case transactionIsPending = "Transaction.isPending"
  case transactionCancel = "Transaction.cancel"
  case transactionPerform = "Transaction.performIfNeeded"
  case makeQueue = "RunLoopQueue.init"
  case queueFlush = "RunLoopQueue.flush"
  case cancelObserver = "Observer.cancel"
  case observerIsActive = "Observer.isActive"
  case observerIsResting = "Observer.isResting"
  case restObserver = "Observer.isResting "
  case observerHasWork = "Observer.hasPendingWork"
  case giveObserverWork = "Observer.hasPendingWork "
  case budgetAllowsMore = "EventLoop.budgetAllowsMore"
  case cancelTimer = "LoopTimer.cancel"
  case timerIsActive = "LoopTimer.isActive"
  case timerDeadline = "LoopTimer.deadline"
  case timerKeepsAlive = "LoopTimer.keepsLoopAlive"
  case askTimerKeepsAlive = "LoopTimer.keepsLoopAlive "
  case makeClock = "FrameClock.init"
  case clockIsActive = "FrameClock.isActive"
  case clockCancel = "FrameClock.cancel"

  /// The name of the call in the trap's message.
  var name: String { String(rawValue.prefix { $0 != " " }) }

  fileprivate func make(_ fixture: Fixture) throws {
    switch self {
    case .run, .runOnce, .runUntil, .stop, .close, .port, .addObserver, .addTimer, .addPreciseTimer:
      try callLoop(fixture.loop)
    case .budget, .postCapacity, .measuresTime, .errorHandler, .now, .metrics, .waitsForPosts:
      useProperty(fixture.loop)
    case .askBudget, .askPostCapacity, .askMeasuresTime, .askErrorHandler, .askWaitsForPosts:
      askProperty(fixture.loop)
    case .commit, .commitValue, .isPending, .cancel, .performIfNeeded:
      commit(fixture.loop, fixture.label)
    case .makeTransaction, .transactionCommit, .transactionIsPending, .transactionCancel,
      .transactionPerform:
      transact(fixture)
    case .post: fixture.loop.post {}
    case .whenIdle: fixture.loop.whenIdle {}
    case .idleIsWaiting: _ = fixture.idle.isWaiting
    case .cancelIdle: fixture.idle.cancel()
    case .makeQueue: _ = RunLoopQueue<Label>(on: fixture.loop, handler: nil)
    case .queueFlush: fixture.queue.flush()
    case .cancelObserver, .observerIsActive, .observerIsResting, .restObserver, .observerHasWork,
      .giveObserverWork:
      useObserver(fixture.observer)
    case .budgetAllowsMore: _ = fixture.loop.budgetAllowsMore()
    case .makeClock: _ = try FrameClock(on: fixture.loop) { _ in }
    case .clockIsActive: _ = fixture.clock.isActive
    case .clockCancel: fixture.clock.cancel()
    case .cancelTimer, .timerIsActive, .timerDeadline, .timerKeepsAlive, .askTimerKeepsAlive:
      useTimer(fixture.timer)
    }
  }

  private func useObserver(_ observer: Observer) {
    switch self {
    case .cancelObserver: observer.cancel()
    case .observerIsActive: _ = observer.isActive
    case .observerIsResting: _ = observer.isResting
    case .restObserver: observer.isResting = true
    case .observerHasWork: _ = observer.hasPendingWork
    default: observer.hasPendingWork = true
    }
  }

  private func useTimer(_ timer: LoopTimer) {
    switch self {
    case .cancelTimer: timer.cancel()
    case .timerIsActive: _ = timer.isActive
    case .timerDeadline: _ = timer.deadline
    case .askTimerKeepsAlive: _ = timer.keepsLoopAlive
    default: timer.keepsLoopAlive = false
    }
  }

  private func callLoop(_ loop: EventLoop) throws {
    switch self {
    case .run: loop.run()
    case .runOnce: loop.run(.once)
    case .runUntil: loop.run(until: LoopClock.now)
    case .stop: loop.stop()
    case .close: try loop.close()
    case .port: _ = loop.port
    case .addObserver: loop.addObserver(for: .exit) { _ in }
    case .addTimer: loop.addTimer(after: .zero) { _ in }
    default: try loop.addPreciseTimer(at: LoopClock.now) { _ in }
    }
  }

  private func useProperty(_ loop: EventLoop) {
    switch self {
    case .budget: loop.budget = .unlimited
    case .postCapacity: loop.postCapacity = 1
    case .measuresTime: loop.measuresTime = true
    case .errorHandler: loop.errorHandler = { _ in }
    case .now: _ = loop.now
    case .waitsForPosts: loop.waitsForPosts = true
    default: _ = loop.metrics
    }
  }

  private func askProperty(_ loop: EventLoop) {
    switch self {
    case .askWaitsForPosts: _ = loop.waitsForPosts
    case .askBudget: _ = loop.budget
    case .askPostCapacity: _ = loop.postCapacity
    case .askMeasuresTime: _ = loop.measuresTime
    default: _ = loop.errorHandler
    }
  }

  private func commit(_ loop: EventLoop, _ label: Label) {
    switch self {
    case .commit: loop.commit(label, Label.layout)
    case .commitValue: loop.commit(label, Label.scroll, 1)
    case .isPending: _ = loop.isPending(label, Label.layout)
    case .cancel: loop.cancel(label, Label.layout)
    default: loop.performIfNeeded(label, Label.layout)
    }
  }

  private func transact(_ fixture: Fixture) {
    switch self {
    case .makeTransaction: _ = Transaction(fixture.label, Label.layout, on: fixture.loop)
    case .transactionCommit: fixture.transaction.commit()
    case .transactionIsPending: _ = fixture.transaction.isPending
    case .transactionCancel: fixture.transaction.cancel()
    default: fixture.transaction.performIfNeeded()
    }
  }
}

@Suite("Traps")
struct TrapTests {
  @Test("a call off the loop's thread traps with the call's name", arguments: LoopCall.allCases)
  func offThread(call: LoopCall) async {  // L1
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [call] in
      let fixture = Smuggled(try Fixture())
      TestThread.run { try? call.make(fixture.value) }
      try fixture.value.loop.close()
    }
    #expect(
      said(
        result,
        "\(call.name): the loop belongs to another thread; use its port from this one"
      )
    )
  }

  @Test("isIdle of a stepped loop traps on another thread")  // L1
  func stepped() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let stepped = Smuggled(try SteppedLoop())
      TestThread.run { _ = stepped.value.isIdle }
      try stepped.value.close()
    }
    #expect(said(result, "the loop belongs to another thread; use its port from this one"))
  }

  static let needOpenLoop: [LoopCall] = [
    .run, .runOnce, .runUntil, .stop, .port, .waitsForPosts, .addObserver, .addTimer,
    .addPreciseTimer, .post, .whenIdle, .commit, .commitValue, .performIfNeeded, .makeTransaction,
    .transactionCommit, .transactionPerform, .makeQueue, .makeClock,
  ]

  @Test("a call that needs an open loop traps after close()", arguments: needOpenLoop)  // L11
  func afterClose(call: LoopCall) async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [call] in
      let fixture = try Fixture()
      try fixture.loop.close()
      try call.make(fixture)
    }
    #expect(
      said(
        result,
        "\(call.name): the loop is closed; make a new one, or call this before close()"
      )
    )
  }

  static let needNoLoop = LoopCall.allCases.filter { !needOpenLoop.contains($0) }

  @Test("a call that needs no open loop does no harm after close()", arguments: needNoLoop)  // L11
  func harmlessAfterClose(call: LoopCall) throws {
    let fixture = try Fixture()
    try fixture.loop.close()
    try call.make(fixture)
  }

  /// A usage error, and its message.
  enum Misuse: String, CaseIterable, Codable, Sendable {
    case nestedRun = "EventLoop.run: must not be called from inside run()"
    case nestedRunOnce = "EventLoop.run: must not be called from inside run() "
    case nestedRunUntil = "EventLoop.run: must not be called from inside run()  "
    case runFromExit = "EventLoop.run: must not be called from inside run()   "
    case closeWhileRunning =
      "EventLoop.close: must not be called from inside run(); call it after run() returned"
    case closeFromExit =
      "EventLoop.close: must not be called from inside run(); call it after run() returned "
    case runWhileClosing = "EventLoop.run: must not be called from inside close()"
    case endlessRelease =
      "EventLoop.close: a deinit or a completion added work to the loop in each of 1000 rounds; find it and stop it"
    case zeroInterval = "LoopTimer: an interval must be positive, got 0.0 seconds"
    case negativeInterval = "LoopTimer: an interval must be positive, got -1.0 seconds"
    case negativePreciseInterval = "LoopTimer: an interval must be positive, got -2.0 seconds"
    case frameRateNaN =
      "FrameClock: framesPerSecond must be over 0 and at most 100000, got nan"
    case frameRateInfinite =
      "FrameClock: framesPerSecond must be over 0 and at most 100000, got inf"
    case frameRateNegative =
      "FrameClock: framesPerSecond must be over 0 and at most 100000, got -60.0"
    case frameRateZero = "FrameClock: framesPerSecond must be over 0 and at most 100000, got 0.0"
    case frameRateTooHigh =
      "FrameClock: framesPerSecond must be over 0 and at most 100000, got 100001.0"
    case budgetOfNoTime =
      "EventLoop.Budget: time must be positive, got 0.0 seconds; use .unlimited for no limit"
    case budgetOfNegativeTime =
      "EventLoop.Budget: time must be positive, got -1.0 seconds; use .unlimited for no limit"
    case budgetOfNoCount =
      "EventLoop.Budget: count must be positive, got 0; omit it for no limit"

    /// The text that standard error must contain.
    var message: String {
      let end = rawValue.lastIndex { $0 != " " } ?? rawValue.startIndex
      return String(rawValue[...end])
    }

    fileprivate func commit(on loop: EventLoop) throws {
      switch self {
      case .nestedRun: within(loop) { loop.run() }
      case .nestedRunOnce: within(loop) { loop.run(.noWait) }
      case .nestedRunUntil: within(loop) { loop.run(until: LoopClock.now) }
      case .runFromExit: atExit(loop) { loop.run() }
      case .closeWhileRunning: within(loop) { try? loop.close() }
      case .closeFromExit: atExit(loop) { try? loop.close() }
      case .runWhileClosing:
        loop.commit { loop.run() }
        try loop.close()
      case .endlessRelease:
        respawn(loop)
        try loop.close()
      default: try passBadValue(to: loop)
      }
    }

    private func respawn(_ loop: EventLoop) {
      let phoenix = Phoenix { respawn(loop) }
      loop.addTimer(after: .seconds(1)) { _ in _ = phoenix }
    }

    private func within(_ loop: EventLoop, _ body: @escaping () -> Void) {
      loop.commit(body)
      loop.run()
    }

    private func atExit(_ loop: EventLoop, _ body: @escaping () -> Void) {
      loop.addObserver(for: .exit) { _ in body() }
      loop.run()
    }

    private func passBadValue(to loop: EventLoop) throws {
      switch self {
      case .zeroInterval: loop.addTimer(after: .zero, every: .zero) { _ in }
      case .negativeInterval: loop.addTimer(after: .zero, every: .seconds(-1)) { _ in }
      case .negativePreciseInterval:
        try loop.addPreciseTimer(at: loop.now, every: .seconds(-2)) { _ in }
      case .frameRateNaN: _ = try FrameClock(on: loop, framesPerSecond: .nan) { _ in }
      case .frameRateInfinite: _ = try FrameClock(on: loop, framesPerSecond: .infinity) { _ in }
      case .frameRateNegative: _ = try FrameClock(on: loop, framesPerSecond: -60) { _ in }
      case .frameRateZero: _ = try FrameClock(on: loop, framesPerSecond: 0) { _ in }
      case .frameRateTooHigh: _ = try FrameClock(on: loop, framesPerSecond: 100_001) { _ in }
      case .budgetOfNoTime: loop.budget = EventLoop.Budget(time: .zero)
      case .budgetOfNegativeTime: loop.budget = EventLoop.Budget(time: .seconds(-1))
      default: loop.budget = EventLoop.Budget(count: 0)
      }
    }
  }

  @Test("a usage error traps with a message that says what to do", arguments: Misuse.allCases)
  func misuse(misuse: Misuse) async {  // L8, L9, L10, L11
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [misuse] in
      let loop = try EventLoop()
      try misuse.commit(on: loop)
      // Close the loop if the misuse did not trap, because releasing it open
      // would trap.
      try? loop.close()
    }
    #expect(said(result, misuse.message))
  }
}

/// Calls a closure in its deinit.
private final class Phoenix {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  deinit { body() }
}
