import Foundation
import LoopbenchKit
import Testing

@Suite("Timeline")
struct TimelineTests {
  @Test("spans have their times, depths and parents")
  func spans() throws {
    let timeline = try MadeTrace.timeline()
    #expect(timeline.threads.map(\.name) == ["main", "worker"])
    #expect(timeline.threads.map(\.process) == ["LoopTransactions", "LoopTransactions"])
    let main = timeline.threads[0]
    #expect(main.spans.map(\.start) == [1000, 1500, 2000, 3000, 40_000, 41_000])
    #expect(main.spans.map(\.end) == [9000, 8125, 8000, 3250, 43_000, 42_000])
    #expect(main.spans.map(\.depth) == [0, 1, 2, 3, 0, 1])
    #expect(main.spans.map(\.parent) == [nil, 0, 1, 2, nil, 4])
    #expect(main.spans.map { timeline.kinds[$0.kind].name }.contains(MadeTrace.hostile))
    #expect(main.marks.map(\.name) == ["laid out"] && main.marks.map(\.time) == [8500])
    #expect(timeline.bounds == 1000...43_000)
    #expect(timeline.spanCount == 7)
  }

  @Test("an arrow leads from its start over its steps to its end, in any order of the file")
  func arrows() throws {
    // The events of the worker come first.
    let turned = Array(MadeTrace.events.dropFirst(17) + MadeTrace.events.prefix(17))
    for events in [MadeTrace.events, turned] {
      let timeline = try MadeTrace.timeline(MadeTrace.json(events))
      let points = try #require(timeline.arrows.first?.points)
      #expect(timeline.arrows.count == 1)
      let names = points.map { timeline.threads[$0.thread].name }
      #expect(names == ["main", "worker", "main"])
      let times = points.map(\.time)
      #expect(times == [2500, 10_000, 41_000])
      let spans = points.map(\.span)
      #expect(spans == [2, 0, 5])
    }
  }

  @Test("a counter has a value of each series at each time")
  func counters() throws {
    let more = #"{"ph":"C","name":"pictures","args":{"failed":3},"pid":7,"ts":11}"#
    let timeline = try MadeTrace.timeline(MadeTrace.json(MadeTrace.events + [more]))
    let counter = try #require(timeline.counters.first)
    #expect(counter.times == [2500, 10_000, 11_000])
    #expect(counter.series == ["queued": [1, 0, 0], "workers": [0, 1, 1], "failed": [0, 0, 3]])
  }

  @Test("counters are apart by process, name and id, and equal names get a number")
  func equalCounters() throws {
    let events = [(7, "1"), (7, "\"0x2\""), (8, "1"), (7, "1")].enumerated().map { time, key in
      let (process, id) = key
      return #"{"ph":"C","id":\#(id),"name":"n","args":{"a":1},"pid":\#(process),"ts":\#(time)}"#
    }
    let counters = try MadeTrace.timeline(MadeTrace.json(events)).counters
    #expect(counters.map(\.name) == ["n", "n #2", "n"])
    #expect(counters.map(\.process) == ["process 7", "process 7", "process 8"])
    #expect(counters.map(\.times) == [[0, 3000], [1000], [2000]])
  }

  @Test("complete events are nested by their times")
  func complete() throws {
    let events = [(5, 2), (1, 9), (5, 1), (20, 3)].map { start, duration in
      #"{"ph":"X","name":"x","pid":1,"tid":1,"ts":\#(start),"dur":\#(duration)}"#
    }
    let spans = try MadeTrace.timeline(MadeTrace.json(events)).threads[0].spans
    #expect(spans.map(\.start) == [1000, 5000, 5000, 20_000])
    #expect(spans.map(\.duration) == [9000, 2000, 1000, 3000])
    #expect(spans.map(\.depth) == [0, 1, 2, 0])
    #expect(spans.map(\.parent) == [nil, 0, 1, nil])
  }

  @Test("a span that is open at the end of the trace ends with the last event of its thread")
  func open() throws {
    let events = [
      #"{"ph":"B","name":"tick","pid":1,"tid":1,"ts":1}"#,
      #"{"ph":"i","name":"mark","pid":1,"tid":1,"ts":6}"#,
      #"{"ph":"E","pid":1,"tid":2,"ts":7}"#,
    ]
    let timeline = try MadeTrace.timeline(MadeTrace.json(events))
    #expect(timeline.threads[0].spans.map(\.end) == [6000])
    #expect(timeline.threads.map(\.name) == ["thread 1", "thread 2"])
    #expect(timeline.threads[0].process == "process 1")
  }

  @Test(
    "a file that is no trace causes an error that says how to proceed",
    arguments: [
      ("hello", "t.json is not JSON; name a file that "),
      ("", "t.json is not JSON; name a file that "),
      (
        String(MadeTrace.json().dropLast(30)), "t.json is not complete JSON; record the trace again"
      ),
      ("{\"schema\":\"loopbench/1\"}", "t.json is JSON, but not a trace; name a file that "),
      ("[1]", "t.json is JSON, but not a trace; name a file that "),
      (MadeTrace.json(["{\"ph\":1}"]), "t.json is JSON, but not a trace; name a file that "),
      (MadeTrace.json([]), "t.json has no events; record while a loop runs"),
      (MadeTrace.json(Array(MadeTrace.events.prefix(2))), "t.json has no events; "),
      (MadeTrace.json([#"{"ph":"i","ts":1e300}"#]), "t.json is JSON, but not a trace; "),
      (MadeTrace.json([#"{"ph":"X","ts":1,"dur":-1}"#]), "t.json is JSON, but not a trace; "),
    ]
  )
  func errors(text: String, expected: String) throws {
    let error = try #require(throws: LoopbenchError.self) { try MadeTrace.timeline(text) }
    #expect(error.code == .failed)
    #expect(error.description.hasPrefix(expected), "\(error)")
    #expect(!error.description.contains("\n"))
  }

  @Test("an event of an unknown kind is not drawn")
  func unknown() throws {
    let other = #"{"ph":"N","name":"object","pid":7,"tid":1,"ts":1}"#
    #expect(
      try MadeTrace.timeline(MadeTrace.json([other] + MadeTrace.events)) == MadeTrace.timeline()
    )
  }
}
