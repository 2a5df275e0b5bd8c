import LoopTransactions
import LoopTransactionsTesting
import Testing

// C6
@Suite("Trace")
struct TraceTests {
  @Test("a trace holds the recorded events, in order, until they are taken")
  func records() {
    let trace = Trace()
    #expect(trace.events == [])
    for event in ["a", "b"] { trace.record(event) }
    #expect(trace.events == ["a", "b"])
    #expect(trace.take() == ["a", "b"])
    #expect(trace.events == [])
    trace.record("c")
    #expect(trace.take() == ["c"])
    #expect(trace.take() == [])
  }

  @Test("a trace records events from eight concurrent tasks, each task's in order")
  func recordsFromAnywhere() async {
    let trace = Trace()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask { for number in 0..<200 { trace.record("\(task) \(number)") } }
      }
    }
    #expect(trace.events.count == 1600)
    for task in 0..<8 {
      #expect(
        trace.events.filter { $0.hasPrefix("\(task) ") } == (0..<200).map { "\(task) \($0)" }
      )
    }
  }

  @Test("a trace that follows a loop records its activities by name")
  func follows() throws {
    let stepped = try SteppedLoop()
    let trace = stepped.trace
    let observer = trace.follow(
      stepped.loop,
      [.entry, .beforeWaiting, .afterWaiting, .exit],
      order: 5
    )
    stepped.loop.addObserver(for: .beforeWaiting, order: 4) { _ in trace.record("before it") }
    stepped.loop.addTimer(after: .zero) { _ in trace.record("timer") }
    stepped.loop.wakeAndRun()
    #expect(
      trace.take()
        == ["entry", "timer", "before it", "beforeWaiting", "afterWaiting", "exit"]
    )
    observer.cancel()
    stepped.loop.wakeAndRun()
    #expect(trace.events == ["before it"])
    try stepped.close()
  }
}

extension EventLoop {
  /// Runs one tick. The retained port makes the tick reach its poll.
  fileprivate func wakeAndRun() {
    waitsForPosts = true
    let held = port
    run(.noWait)
    withExtendedLifetime(held) {}
  }
}
