import LoopTransactionsTesting
import TestSupport
import Testing

@testable import LoopTransactions

// In exit tests, because a trace is of the whole process.
@Suite("LoopTrace: counters, arrows and frames of users")
struct LoopTraceEventTests {
  @Test("a counter has its values in order, also negative ones")  // X3
  func counters() async {
    await #expect(processExitsWith: .success) {
      LoopTrace.counter("before", 1)
      #expect(!LoopTrace.isRunning)
      let trace = try LoopTrace()
      #expect(LoopTrace.isRunning)
      for value in [3, -1, .max, 0] { LoopTrace.counter("open \"files\"", value) }
      trace.stop()
      LoopTrace.counter("after", 1)
      let file = try TraceFile(trace.json)
      #expect(file.fault == nil)
      #expect(Set(file.counters.compactMap(\.name)) == ["open \"files\""])
      #expect(file.counters.compactMap { $0.args?.value } == [3, -1, .max, 0])
    }
  }

  @Test("an arrow leads from the request of an object to its work, each once")  // X3
  func arrows() async {
    await #expect(processExitsWith: .success) {
      let trace = try LoopTrace()
      let (first, second) = (Card("a", Trace()), Card("b", Trace()))
      try withLoop { loop in
        loop.post {
          LoopTrace.beginArrow(to: first)
          LoopTrace.beginArrow(to: second)
          // In a macro's closure, all code has the line of the macro.
          loop.addTimer(after: .milliseconds(1), fileID: "Test/Timer.swift", line: 5) { _ in
            LoopTrace.endArrow(to: second)
            LoopTrace.endArrow(to: second)
          }
        }
        loop.run()
      }
      let file = try TraceFile(trace.json)
      #expect(file.fault == nil)
      let arrows = file.arrows.filter { $0.category == "request" }
      #expect(arrows.count == 1)
      #expect(arrows.first?.spans == [file.names("post")[0], "Test/Timer.swift:5"])
    }
  }

  @Test("a frame is a mark with its number and lateness, inside the span of its clock")  // X3, X6
  func frames() async {
    await #expect(processExitsWith: .success) {
      let trace = try LoopTrace()
      try withSteppedLoop { stepped in
        let clock = try FrameClock(on: stepped.loop, framesPerSecond: 100) { _ in }
        stepped.loop.post { stepped.spend(.milliseconds(25)) }
        stepped.advance(by: .milliseconds(5))
        clock.cancel()
      }
      let file = try TraceFile(trace.json)
      #expect(file.fault == nil)
      #expect(file.marks == ["frame 2"])
      // Frame 1 was missed, and was due at 10 ms.
      let mark = try #require(file.traceEvents.first { $0.name == "frame 2" })
      #expect(mark.args?.late == 15_000 && mark.cat == "frame")
      let span = file.spans.first { $0.category == "timer" }
      #expect(span.map { $0.start <= mark.ts && mark.ts <= $0.end } == true)
    }
  }
}
