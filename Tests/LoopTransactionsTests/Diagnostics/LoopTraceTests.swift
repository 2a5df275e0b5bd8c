import LoopTransactionsTesting
import TestSupport
import Testing

@testable import LoopTransactions

// In exit tests, because a trace is of the whole process.
@Suite("LoopTrace")
struct LoopTraceTests {
  @Test("each kind of work has a span with its name, inside a tick")  // X3
  func spans() async {
    await #expect(processExitsWith: .success) {
      let trace = try LoopTrace()
      let scheduler = OperationScheduler("drawing")
      try withLoop { loop in
        loop.post { loop.commit(Card("a", Trace()), Card.layout) }
        loop.addTimer(after: .zero) { _ in }
        loop.addObserver(for: .beforeWaiting, repeats: false) { _ in }
        let transaction = AsyncTransaction(on: loop, name: "pictures", scheduler: scheduler)
        transaction.add("decode") { _ in }
        transaction.commit()
        Task(executorPreference: loop.port) {}
        loop.run()
      }
      await Task(executorPreference: scheduler) {}.value
      trace.stop()
      let file = try TraceFile(trace.json)
      #expect(file.fault == nil)
      #expect(file.names("transaction") == ["Card.layout"])
      #expect(file.names("completion") == ["pictures"])
      #expect(file.names("operation") == ["decode"])
      #expect(file.names("observer").first?.contains("LoopTraceTests.swift:") == true)
      #expect(file.names("timer").first?.contains("LoopTraceTests.swift:") == true)
      #expect(file.names("post").contains { $0.contains("LoopTraceTests.swift:") })
      // One on the loop, and one on a worker.
      #expect(Set(file.names("job")) == ["job", "drawing"])
      #expect(file.spans.filter { $0.category == "flush" }.allSatisfy { $0.parent == "tick" })
      let layout = file.spans.first { $0.category == "transaction" }
      #expect(layout?.parent == "flush")
      for category in ["post", "timer", "observer"] {
        #expect(file.spans.first { $0.category == category }?.parent == "tick")
      }
    }
  }

  @Test("arrows lead from posts, commits and operations to the code that runs")  // X3
  func arrows() async {
    await #expect(processExitsWith: .success) {
      let trace = try LoopTrace()
      let scheduler = OperationScheduler("drawing")
      try withLoop { loop in
        let port = loop.port
        let transaction = AsyncTransaction(on: loop, name: "pictures", scheduler: scheduler)
        let (isCommitted, hasRun) = (Gate(), Gate())
        transaction.add("decode") { _ in isCommitted.wait() }
        transaction.commit()
        isCommitted.open()
        scheduler.add { _ in hasRun.open() }
        let card = SharedCard("a", Trace())
        TestThread {
          try? port.post {}
          try? port.commit(card, SharedCard.layout)
        }.join()
        loop.run()
        hasRun.wait()
      }
      trace.stop()
      let file = try TraceFile(trace.json)
      #expect(file.fault == nil)
      let spans = file.arrows.map { "\($0.category): \($0.spans.joined(separator: " → "))" }
      #expect(spans.contains("add: add → decode → pictures"))
      #expect(spans.contains("add: add → drawing"))
      #expect(spans.contains("commit: post → SharedCard.layout"))
      #expect(spans.contains { $0.hasPrefix("post: post → LoopTransactionsTests/") })
      // The operation that ended last posts the completion.
      #expect(spans.contains("post: decode → post"))
    }
  }

  @Test("commits with a value and commits for a frame have arrows, each once")  // X3, T11
  func valuesAndFrames() async {
    await #expect(processExitsWith: .success) {
      try withSteppedLoop { stepped in
        let trace = try LoopTrace()
        let (loop, log) = (stepped.loop, Trace())
        let screen = FrameClock(hostedOn: loop) {}
        let cards = (0..<4).map { Card("\($0)", log) }
        let value = Selector<Card>.Carrying<Int>("value") { _, _ in }
        let kept = Transaction(cards[2], Card.draw, on: loop)
        loop.post {
          for number in 0..<3 { loop.commit(cards[0], value, number) }
          for _ in 0..<2 {
            loop.commit(cards[1], Card.layout, atNextFrameOf: screen)
            kept.commit(atNextFrameOf: screen)
            loop.commit(cards[3], value, 1, atNextFrameOf: screen)
          }
        }
        stepped.step()
        screen.beginFrame()
        stepped.step()
        trace.stop()
        let file = try TraceFile(trace.json)
        #expect(file.fault == nil)
        let commits = file.arrows.filter { $0.category == "commit" }.map { $0.spans[1] }
        #expect(commits.sorted() == ["Card.draw", "Card.layout", "Card.value", "Card.value"])
      }
    }
  }

  @Test("a loop's own posts and commits have arrows, each once")  // X3
  func ownArrows() async {
    await #expect(processExitsWith: .success) {
      let trace = try LoopTrace()
      try withLoop { loop in
        let card = Card("a", Trace())
        loop.post {
          loop.commit(card, Card.layout)
          loop.commit(card, Card.layout)
          loop.commit(card, Card.draw)
          try? loop.port.post {}
        }
        loop.run()
      }
      let file = try TraceFile(trace.json)
      #expect(file.fault == nil)
      // The released port posts too.
      let posts = file.arrows.filter { $0.category == "post" }
      #expect(posts.filter { $0.spans[1].contains("LoopTraceTests.swift:") }.count == 2)
      let commits = file.arrows.filter { $0.category == "commit" }.map { $0.spans[1] }
      #expect(commits.sorted() == ["Card.draw", "Card.layout"])
    }
  }

  @Test("an operation that was cancelled before it began has an arrow to its completion")  // X3
  func cancelled() async {
    await #expect(processExitsWith: .success) {
      let trace = try LoopTrace()
      try withSteppedLoop { stepped in
        let scheduler = SteppedScheduler(on: stepped).scheduler
        stepped.loop.post {
          let transaction = AsyncTransaction(on: stepped.loop, name: "all", scheduler: scheduler)
          let operation = transaction.add("late") { _ in }
          transaction.commit()
          operation.cancel()
        }
        stepped.runUntilIdle()
      }
      let file = try TraceFile(trace.json)
      #expect(file.fault == nil)
      let adds = file.arrows.filter { $0.category == "add" }
      #expect(adds.count == 1)
      #expect(adds.first?.spans.last == "all")
    }
  }

  @Test("an operation of a SingleFlight has an arrow to each completion that waits for it")  // X3
  func flights() async {
    await #expect(processExitsWith: .success) {
      let trace = try LoopTrace()
      let scheduler = OperationScheduler("drawing")
      let flights = SingleFlight<Int, Int>(on: scheduler)
      try withLoop { loop in
        let haveJoined = Gate()
        for name in ["first", "second"] {
          let transaction = AsyncTransaction(on: loop, name: name, scheduler: scheduler)
          transaction.add(flights, for: 1, name: "decode") { _ in
            haveJoined.wait()
            return 2
          }
          transaction.commit()
        }
        #expect(flights.waiters(of: 1) == 2)
        haveJoined.open()
        loop.run()
      }
      trace.stop()
      let file = try TraceFile(trace.json)
      #expect(file.fault == nil)
      let adds = file.arrows.filter { $0.category == "add" }.map(\.spans)
      #expect(adds.contains(["decode", "first"]))
      #expect(adds.contains(["decode", "second"]))
    }
  }

  @Test("marks are on the track of the loop that the thread runs, or on its own")  // X3
  func marks() async {
    await #expect(processExitsWith: .success) {
      LoopTrace.mark("before")
      let trace = try LoopTrace()
      TestThread { LoopTrace.mark("thread") }.join()
      try withLoop { loop in
        loop.post { LoopTrace.mark("loop \"a\"") }
        loop.run()
        LoopTrace.mark("after the run")
      }
      trace.stop()
      LoopTrace.mark("after")
      let file = try TraceFile(trace.json)
      #expect(file.fault == nil)
      #expect(file.marks.sorted() == ["after the run", "loop \"a\"", "thread"])
      let mark = file.traceEvents.first { $0.name == "loop \"a\"" }
      #expect(file.tracks[mark?.tid ?? 0]?.hasPrefix("loop (") == true)
      let other = file.traceEvents.first { $0.name == "after the run" }
      #expect(file.tracks[other?.tid ?? 0]?.hasPrefix("loop (") == false)
    }
  }

  @Test("a scheduler's counters rise when operations are added, and end at 0")  // X3
  func counters() async {
    await #expect(processExitsWith: .success) {
      let trace = try LoopTrace()
      let (scheduler, gate) = (OperationScheduler("drawing", workerLimit: 1), Gate())
      for _ in 0..<3 { scheduler.add { _ in gate.wait() } }
      gate.open(3)
      let text = try await ended(trace, "drawing")
      let file = try TraceFile(text)
      #expect(file.fault == nil)
      let counters = file.counters.filter { $0.name == "drawing" }.compactMap(\.args)
      #expect(counters.contains { $0.queued ?? 0 >= 2 && $0.workers == 1 })
      #expect(counters.last?.queued == 0)
      #expect(counters.last?.workers == 0)
    }
  }

  @Test("schedulers of one name have counters of their own")  // X3
  func equalNames() async {
    await #expect(processExitsWith: .success) {
      let trace = try LoopTrace()
      let schedulers = (0..<2).map { _ in OperationScheduler("drawing", workerLimit: 1) }
      for scheduler in schedulers { scheduler.add { _ in } }
      let file = try TraceFile(trace.json)
      #expect(file.fault == nil)
      let ids = file.counters.filter { $0.name == "drawing" }.compactMap(\.id)
      #expect(Set(ids).count == 2)
    }
  }

  @Test("the time of a stepped loop is its virtual time")  // X3
  func virtualTime() async {
    await #expect(processExitsWith: .success) {
      let trace = try LoopTrace()
      try withSteppedLoop { stepped in
        let start = Double(stepped.now.nanoseconds) / 1000
        stepped.loop.post {
          stepped.spend(.milliseconds(30))
          LoopTrace.mark("spent")
        }
        stepped.step()
        let file = try TraceFile(trace.json)
        #expect(file.fault == nil)
        let post = try #require(file.spans.first { $0.category == "post" })
        #expect(post.start == start)
        #expect(post.end == start + 30_000)
        #expect(file.traceEvents.first { $0.ph == "i" }?.ts == start + 30_000)
        #expect(file.arrows.map(\.category) == ["post"])
      }
    }
  }

  @Test("a loop that runs takes part, and records no more when the trace is stopped")  // X3
  func running() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        loop.post {}
        loop.run(.noWait)
        #expect(loop.recorder == nil)
        var trace = try LoopTrace()
        loop.post { LoopTrace.mark("first") }
        loop.run(.noWait)
        #expect(try TraceFile(trace.json).marks == ["first"])
        trace.stop()
        loop.post {}
        loop.run(.noWait)
        #expect(loop.recorder == nil)
        trace = try LoopTrace()
        loop.post { LoopTrace.mark("second") }
        loop.run(.noWait)
        let file = try TraceFile(trace.json)
        #expect(file.fault == nil)
        #expect(file.marks == ["second"])
      }
    }
  }

  #if os(Linux)
    @Test("a loop that sleeps while a trace starts records the post that wakes it")  // X3
    func asleep() async {
      await #expect(processExitsWith: .success) {
        try withLoop { loop in
          let (port, sleeper, trace) = (loop.port, System.threadNumber, Locked<LoopTrace?>(nil))
          loop.addTimer(after: .seconds(600)) { _ in }
          let starter = TestThread {
            _ = inTime {
              guard case .blocked(let call) = ThreadState.waiting(of: sleeper) else { return false }
              return call.hasPrefix("epoll_")
            }
            trace.withLock { $0 = try? LoopTrace() }
            try? port.post {
              LoopTrace.mark("woken")
              port.stop()
            }
          }
          loop.run()
          starter.join()
          let file = try TraceFile(try #require(trace.withLock { $0 }).json)
          #expect(file.fault == nil)
          #expect(file.arrows.map(\.category) == ["post"])
          let mark = file.traceEvents.first { $0.name == "woken" }
          #expect(file.tracks[mark?.tid ?? 0]?.hasPrefix("loop (") == true)
        }
      }
    }
  #endif

  @Test("after a nested run, a callback's events are on the track of its own loop again")  // X3
  func nested() async {
    await #expect(processExitsWith: .success) {
      let trace = try LoopTrace()
      try withLoop { outer in
        try withLoop { inner in
          inner.post { LoopTrace.mark("inner") }
          outer.post {
            LoopTrace.mark("before")
            inner.run(.noWait)
            LoopTrace.mark("after")
          }
          outer.run(.noWait)
        }
      }
      let file = try TraceFile(trace.json)
      #expect(file.fault == nil)
      func track(_ mark: String) -> Int? { file.traceEvents.first { $0.name == mark }?.tid }
      #expect(track("before") != nil && track("before") == track("after"))
      #expect(track("inner") != track("after"))
    }
  }

  @Test("a worker's track has its name, also if a mark came before its first batch")  // X3
  func workerMarks() async {
    await #expect(processExitsWith: .success) {
      let scheduler = OperationScheduler("drawing", workerLimit: 1)
      let trace = try await scheduler.run { _ in
        let trace = try LoopTrace()
        LoopTrace.mark("first")
        return trace
      }
      try await scheduler.run { _ in LoopTrace.mark("second") }
      let file = try TraceFile(trace.json)
      #expect(file.fault == nil)
      #expect(file.marks.sorted() == ["first", "second"])
      let mark = file.traceEvents.first { $0.name == "second" }
      #expect(file.tracks[mark?.tid ?? 0]?.hasPrefix("worker (drawing)") == true)
    }
  }

  @Test("a tick handler reports the same ticks before, during and after a trace")  // X2, X3
  func handler() async {
    await #expect(processExitsWith: .success) {
      try withSteppedLoop { stepped in
        var reports: [Duration] = []
        stepped.loop.tickHandler = { reports.append($0.duration) }
        func tick() {
          stepped.loop.post { stepped.spend(.milliseconds(3)) }
          stepped.step()
        }
        tick()
        let trace = try LoopTrace()
        tick()
        tick()
        trace.stop()
        tick()
        #expect(reports == Array(repeating: .milliseconds(3), count: 4))
      }
    }
  }

  @Test("equal seeds have equal orders with and without a trace", arguments: [1, 2, 3, 4, 5])  // X3
  func order(seed: UInt64) async {
    await #expect(processExitsWith: .success) { [seed] in
      let plain = try events(seed)
      let trace = try LoopTrace()
      let traced = try events(seed)
      #expect(try TraceFile(trace.json).fault == nil)
      trace.stop()
      #expect(plain.count == 60)
      #expect(traced == plain)
      #expect(try events(seed) == plain)
    }
  }
}

/// The order of the work of a stepped loop and scheduler, in a run with choices.
private func events(_ seed: UInt64) throws -> [String] {
  var events: [String] = []
  try withSteppedLoop(seed: seed) { stepped in
    let (loop, log) = (stepped.loop, stepped.trace)
    let scheduler = SteppedScheduler(on: stepped, workerLimit: 2).scheduler
    for number in 0..<10 {
      loop.post { log.record("post \(number)") }
      loop.commit(Card("\(number)", log), Card.layout)
      scheduler.add { _ in log.record("plain \(number)") }
      loop.addTimer(after: .milliseconds(1)) { _ in log.record("timer \(number)") }
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      transaction.add { _ in
        log.record("body \(number)")
      } completion: { _ in
        log.record("completion \(number)")
      }
      transaction.commit()
    }
    stepped.runUntilIdle()
    stepped.advance(by: .milliseconds(2))
    events = log.events
  }
  return events
}

/// Returns the file once the last counters of the scheduler `name` are 0.
private func ended(_ trace: LoopTrace, _ name: String) async throws -> String {
  for _ in 0..<10_000 {
    let json = trace.json
    let last = try TraceFile(json).counters.last { $0.name == name }?.args
    if last?.workers == 0 { return json }
    await Task.yield()
  }
  return trace.json
}
