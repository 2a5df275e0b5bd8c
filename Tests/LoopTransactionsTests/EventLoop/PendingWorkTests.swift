import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

/// A consumer that uses public API only. It performs each piece of its work
/// once, within the tick's budget.
private final class Worker {
  private(set) var pieces: [() -> Void] = []
  private var observer: Observer?
  private let loop: EventLoop

  init(on loop: EventLoop, order: Int = 0, _ activities: EventLoop.Activity = .beforeWaiting) {
    self.loop = loop
    observer = loop.addObserver(for: activities, order: order) { [unowned self] _ in flush() }
    observer?.isResting = true
  }

  func add(_ piece: @escaping () -> Void) {
    pieces.append(piece)
    observer?.hasPendingWork = true
  }

  private func flush() {
    var isWithin = true
    while isWithin, !pieces.isEmpty {
      pieces.removeFirst()()
      isWithin = loop.budgetAllowsMore()
    }
    if !pieces.isEmpty { observer?.hasPendingWork = true }
  }
}

@Suite("Observer: pending work")
struct PendingWorkTests {
  @Test("an idle observer is called once each time it declares pending work")  // L3, L9
  func resting() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let observer = loop.addObserver(for: .beforeWaiting) { trace.record("\($0)") }
      observer.isResting = true
      for _ in 0..<3 { stepped.step() }
      #expect(trace.take() == [])
      observer.hasPendingWork = true
      observer.hasPendingWork = true
      for _ in 0..<3 { stepped.step() }
      #expect(trace.take() == ["beforeWaiting"])
      observer.isResting = false
      stepped.step()
      #expect(trace.take() == ["beforeWaiting"])
    }
  }

  @Test(
    "a run of one tick calls an observer once, even if it declares work again in each call",
    arguments: [EventLoop.Mode.once, .noWait]
  )  // L8, L9
  func oncePerRun(mode: EventLoop.Mode) throws {
    try withLoop { loop in
      loop.budget = .unlimited
      loop.addTimer(after: .seconds(3600)) { _ in }
      var calls = 0
      var observer: Observer?
      observer = loop.addObserver(for: [.beforeWaiting, .exit]) { _ in
        calls += 1
        observer?.hasPendingWork = true
      }
      observer?.isResting = true
      observer?.hasPendingWork = true
      for run in 1...3 {
        loop.run(mode)
        #expect(calls == run)
      }
      observer?.cancel()
    }
  }

  @Test("an observer that becomes idle with pending work is still called for that work")  // L3
  func restsLater() throws {
    try withSteppedLoop { stepped in
      let trace = stepped.trace
      let observer = stepped.loop.addObserver(for: .beforeWaiting) { trace.record("\($0)") }
      observer.hasPendingWork = true
      observer.isResting = true
      #expect(observer.isResting && observer.hasPendingWork)
      #expect(stepped.runUntilIdle() == 1)
      #expect(trace.events == ["beforeWaiting"])
      #expect(observer.isResting && !observer.hasPendingWork)
    }
  }

  @Test("a loop with pending work neither blocks nor ends its run")  // L5
  func neitherBlocksNorEnds() throws {
    try withLoop { loop in
      let trace = Trace()
      let observer = loop.addObserver(for: .beforeWaiting) { _ in trace.record("called") }
      observer.isResting = true
      loop.addTimer(after: .zero) { _ in observer.hasPendingWork = true }
      let far = loop.addTimer(after: .seconds(3600)) { _ in }
      loop.addObserver(for: .beforeWaiting, order: 1) { _ in
        if !trace.events.isEmpty { far.cancel() }
      }
      Interposed.beforeBlocking({ _ in
        if trace.events.isEmpty && observer.hasPendingWork { trace.record("blocks") }
      }) { #expect(loop.run() == .finished) }
      #expect(trace.events == ["called"])
      observer.hasPendingWork = true
      #expect(loop.run() == .finished)
      #expect(trace.events == ["called", "called"])
    }
  }

  @Test("work that was performed, withdrawn or removed does not keep a loop awake")  // L7
  func noSpin() throws {
    try withSteppedLoop { stepped in
      let trace = stepped.trace
      let observers = (0..<3).map { number in
        stepped.loop.addObserver(for: .beforeWaiting) { _ in trace.record("\(number)") }
      }
      for observer in observers {
        observer.isResting = true
        observer.hasPendingWork = true
      }
      observers[1].hasPendingWork = false
      observers[2].cancel()
      #expect(!observers[2].hasPendingWork)
      observers[2].hasPendingWork = true
      #expect(!observers[2].hasPendingWork)
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.runUntilIdle() == 0)
      #expect(trace.events == ["0"])
    }
  }

  @Test("a one-shot observer that declares more work does not keep a loop awake")  // L7
  func oneShot() throws {
    try withSteppedLoop { stepped in
      var own: Observer?
      own = stepped.loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
        own?.hasPendingWork = true
        stepped.trace.record("called")
      }
      own?.hasPendingWork = true
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.events == ["called"])
    }
  }

  @Test(
    "work declared in a pass is performed in it by later observers, by others in the next pass"
  )  // L3
  func declaredWithin() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let observers = [-1, 1].map { order in
        loop.addObserver(for: .beforeWaiting, order: order) { _ in trace.record("\(order)") }
      }
      for observer in observers { observer.isResting = true }
      loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
        for observer in observers { observer.hasPendingWork = true }
      }
      trace.follow(loop, .afterWaiting)
      loop.commit {}
      stepped.runUntilIdle()
      #expect(trace.events == ["1", "afterWaiting", "-1", "afterWaiting"])
    }
  }

  @Test("observers share the time budget with posts, queues and transactions")  // L9
  func sharedTime() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let work = { (name: String) in
        trace.record(name)
        stepped.spend(.milliseconds(2))
      }
      let (first, last) = (Worker(on: loop, order: -1), Worker(on: loop, order: .max))
      for number in 1...3 {
        first.add { work("A\(number)") }
        last.add { work("B\(number)") }
        loop.commit { work("T\(number)") }
      }
      stepped.step()
      // The first consumer's two pieces use up the 4 ms. Each other kind of
      // work still performs one piece.
      #expect(trace.take() == ["A1", "A2", "T1", "B1"])
      #expect(loop.metrics.carriedOver == 3)
      stepped.step()
      #expect(trace.take() == ["A3", "T2", "B2"])
      stepped.runUntilIdle()
      #expect(trace.take() == ["T3", "B3"])
    }
  }

  @Test("observers share the count budget with queues and transactions")  // L9
  func sharedCount() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      loop.budget = EventLoop.Budget(count: 3)
      let worker = Worker(on: loop)
      for number in 1...3 {
        worker.add { trace.record("A\(number)") }
        loop.commit { trace.record("T\(number)") }
      }
      stepped.step()
      #expect(trace.take() == ["A1", "A2", "A3", "T1"])
      stepped.step()
      #expect(trace.take() == ["T2", "T3"])
      #expect(stepped.isIdle)
    }
  }

  @Test("time that an observer spends without asking counts towards the budget")  // L9
  func unasked() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let observer = loop.addObserver(for: .beforeWaiting) { _ in stepped.spend(.milliseconds(4)) }
      observer.hasPendingWork = true
      for number in 1...2 { loop.commit { trace.record("T\(number)") } }
      stepped.step()
      #expect(trace.events == ["T1"])
    }
  }

  @Test("a stopped run performs the pending work of exit observers beyond the budget")  // L5, L8
  func stopped() throws {
    try withLoop { loop in
      loop.budget = EventLoop.Budget(count: 1)
      let trace = Trace()
      let kept = Worker(on: loop)
      let performed = Worker(on: loop, [.beforeWaiting, .exit])
      loop.addObserver(for: .afterWaiting, repeats: false) { _ in
        for number in 1...2 {
          performed.add { trace.record("A\(number)") }
          kept.add { trace.record("B\(number)") }
        }
        loop.commit { performed.add { trace.record("A3") } }
        loop.stop()
      }
      loop.commit {}
      #expect(loop.run() == .stopped)
      #expect(trace.take() == ["A1", "A2", "A3"])
      #expect(loop.run() == .finished)
      #expect(trace.events == ["B1", "B2"])
    }
  }

  @Test("an exit observer that always declares more work prevents neither a run's end nor close()")
  func withoutEnd() throws {  // L5, L8
    let loop = try EventLoop()
    var (calls, own) = (0, Observer?.none)
    own = loop.addObserver(for: [.beforeWaiting, .exit]) { _ in
      calls += 1
      own?.hasPendingWork = true
      if calls == 3 { loop.stop() }
    }
    own?.isResting = true
    own?.hasPendingWork = true
    #expect(loop.run() == .stopped)
    #expect(calls == 3 + 1 + 16)
    #expect(own?.hasPendingWork == true)
    try loop.close()
    #expect(own?.isActive == false && own?.hasPendingWork == false)
  }

  @Test("closing a loop performs the pending work of exit observers")  // L11
  func close() throws {
    let (loop, trace) = (try EventLoop(), Trace())
    let worker = Worker(on: loop, [.beforeWaiting, .exit])
    for number in 1...3 { worker.add { trace.record("A\(number)") } }
    try loop.close()
    #expect(trace.events == ["A1", "A2", "A3"])
    withExtendedLifetime(worker) {}
  }

  @Test("setting hasPendingWork on an observer that does not observe beforeWaiting traps")
  func wrongActivity() async {  // L3
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      loop.addObserver(for: .exit) { _ in }.hasPendingWork = true
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("Observer.hasPendingWork: add the observer for beforeWaiting"))
  }
}
