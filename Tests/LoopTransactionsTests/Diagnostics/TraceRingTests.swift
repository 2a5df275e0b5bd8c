import TestSupport
import Testing

@testable import LoopTransactions

@Suite("Trace: rings and files")
struct TraceRingTests {
  private func ring(_ capacity: Int) throws -> TraceRing {
    try #require(TraceRing(.thread, name: "t", capacity: capacity, trace: 1))
  }

  private func span(_ name: StaticString, at time: UInt64, depth: Int, key: UInt64 = 0)
    -> TraceEvent
  {
    let owner = OwnerWord(.post, name).rawValue
    return TraceEvent(.spanBegin, at: time, name: owner, value: key, depth: depth)
  }

  private func file(_ tracks: TraceTrack...) throws -> TraceFile {
    try TraceFile(TraceJSON(tracks, process: 7).description)
  }

  @Test("a ring that is not full has every event with every field")  // X3
  func fields() throws {
    let ring = try ring(16)
    let events = [
      TraceEvent(.mark, at: 3, name: 5),
      TraceEvent(.spanBegin, at: 4, name: 6, value: .max, depth: 65_535),
      TraceEvent(.arrowEnd, at: 5, value: 7, topic: .commit),
    ]
    for event in events { ring.writer.append(event) }
    #expect(ring.events.events == events)
    #expect(ring.events.lost == 0)
    #expect(events[1].depth == 65_535)
    #expect(events[2].topic == .commit)
    #expect(events[2].kind == .arrowEnd)
  }

  @Test("a full ring has the last events, and counts the ones that it lost")  // X3
  func overwrites() throws {
    let ring = try ring(16)
    for time in 0..<UInt64(100) { ring.writer.append(TraceEvent(.mark, at: time)) }
    let (events, lost) = ring.events
    // The slot of the oldest event may be in use by the next one.
    #expect(events.map(\.time) == Array(85..<100))
    #expect(lost == 85)
  }

  @Test("events recorded after the stop are left out")  // X3
  func stopped() throws {
    let ring = try ring(16)
    ring.writer.append(TraceEvent(.mark, at: 1))
    ring.stop()
    ring.writer.append(TraceEvent(.mark, at: 2))
    #expect(ring.events.events.map(\.time) == [1])
  }

  @Test("a trace has at most 256 rings, and says that one is missing")  // X3
  func limit() {
    let core = TraceCore(number: 1, capacity: 16)
    for _ in 0..<256 { #expect(core.makeRing(.thread, time: nil) { "t" } != nil) }
    #expect(!core.contents.isIncomplete)
    #expect(core.makeRing(.thread, time: nil) { "t" } == nil)
    #expect(core.contents.isIncomplete)
    #expect(core.contents.rings.count == 256)
  }

  @Test("a span ends the spans of its depth, and the end of a tick ends all")  // X3
  func nesting() throws {
    let file = try file(
      TraceTrack(
        .loop,
        name: "l",
        events: [
          TraceEvent(.tickBegin, at: 1000), span("a", at: 2000, depth: 2),
          span("inner", at: 3000, depth: 4), TraceEvent(.spanEnd, at: 4000, depth: 3),
          span("b", at: 5001, depth: 2), TraceEvent(.tickEnd, at: 6000),
        ]
      )
    )
    #expect(file.fault == nil)
    #expect(file.spans.map(\.name) == ["inner", "a", "b", "tick"])
    #expect(file.spans.map(\.parent) == ["a", "tick", "tick", nil])
    #expect(file.spans.map(\.start) == [3, 2, 5.001, 1])
    #expect(file.spans.map(\.end) == [4, 5.001, 6, 6])
  }

  @Test("a track without its first events, and a span that runs, are valid")  // X3
  func torn() throws {
    let file = try file(
      TraceTrack(
        .loop,
        name: "l",
        events: [
          TraceEvent(.spanEnd, at: 1000, depth: 2), TraceEvent(.tickEnd, at: 2000),
          TraceEvent(.tickBegin, at: 3000), span("runs", at: 4000, depth: 2),
          TraceEvent(.mark, at: 5000, name: OwnerWord(.other, "m").rawValue),
        ],
        lost: 3
      )
    )
    #expect(file.fault == nil)
    #expect(file.spans.map(\.name) == ["runs", "tick"])
    #expect(file.spans.map(\.end) == [5, 5])
    #expect(file.otherData.overwrittenEvents == 3)
  }

  @Test("equal posts have their arrows in order, and an arrow without an end is left out")  // X3
  func arrows() throws {
    let posts = [UInt64(1), 2, 9].map {
      TraceEvent(.arrowBegin, at: $0 * 1000, value: 77, topic: .post)
    }
    let runs = [
      span("a", at: 5000, depth: 2, key: 77), span("b", at: 6000, depth: 2, key: 77),
      span("c", at: 7000, depth: 2, key: 77), span("d", at: 8000, depth: 2, key: 78),
    ]
    let file = try file(
      TraceTrack(.thread, name: "t", events: posts),
      TraceTrack(.loop, name: "l", events: runs)
    )
    #expect(file.fault == nil)
    #expect(file.arrows.map(\.spans) == [["post", "a"], ["post", "b"]])
    #expect(file.names("arrow") == ["post", "post"])
  }

  @Test("clocks of stepped loops have a process each, and no arrows to other tracks")  // X3
  func clocks() throws {
    let post = TraceEvent(.arrowBegin, at: 1000, value: 77, topic: .post)
    let run = span("a", at: 5000, depth: 2, key: 77)
    let file = try file(
      TraceTrack(.thread, name: "t", events: [post]),
      TraceTrack(.steppedLoop, name: "s", events: [run]),
      TraceTrack(.steppedLoop, name: "s", events: [post, run])
    )
    #expect(file.fault == nil)
    #expect(file.arrows.count == 1)
    #expect(Set(file.traceEvents.filter { $0.ph == "B" }.map(\.pid)).count == 2)
    #expect(!file.traceEvents.contains { $0.ph == "B" && $0.pid == 7 })
  }

  @Test("counters of schedulers of one name have ids of their own")  // X3
  func counterIds() throws {
    func counters(_ scheduler: UInt32, at time: UInt64, queued: Int) -> TraceEvent {
      let value = TraceEvent.value(queued: queued, workers: 2)
      let name = OwnerWord(.operation, "pictures").rawValue
      return TraceEvent(.counters, at: time, name: name, value: value, scheduler: scheduler)
    }
    let largest = UInt32.max
    let events = [counters(1, at: 1000, queued: 5), counters(largest, at: 2000, queued: 6)]
    let file = try file(TraceTrack(.thread, name: "t", events: events))
    #expect(file.fault == nil)
    #expect(file.counters.map(\.name) == ["pictures", "pictures"])
    #expect(file.counters.map(\.id) == [1, Int(largest)])
    #expect(file.counters.map { $0.args?.queued } == [5, 6])
  }

  @Test("names are escaped")  // X3
  func escaping() throws {
    #expect(TraceJSON.quoted("a\"b\\c\n\u{1}é") == #""a\"b\\c\u000a\u0001é""#)
    let file = try file(TraceTrack(.loop, name: "say \"hi\"\t\\", events: []))
    #expect(file.tracks == [1: "say \"hi\"\t\\"])
  }

  @Test("%p stands for the number of the process")  // X3
  func path() {
    #expect(LoopTrace.path("/tmp/%p/t-%p.json", process: 12) == "/tmp/12/t-12.json")
    #expect(LoopTrace.path("%", process: 12) == "%")
  }
}

@Suite("Trace: validator")
struct TraceValidatorTests {
  private func fault(_ events: String...) throws -> String? {
    let name = #"{"ph":"M","name":"thread_name","args":{"name":"t"},"pid":1,"tid":1,"ts":0}"#
    let events = ([name] + events).joined(separator: ",")
    let head = #"{"otherData":{"overwrittenEvents":0,"lacksThreads":false},"traceEvents":["#
    return try TraceFile(head + events + "]}").fault
  }

  private func event(_ phase: String, _ time: Int, id: Int = 0, track: Int = 1) -> String {
    #"{"ph":"\#(phase)","name":"n","id":\#(id),"pid":1,"tid":\#(track),"ts":\#(time)}"#
  }

  private func event(_ phase: String, _ time: Int, _ rest: String) -> String {
    #"{"ph":"\#(phase)",\#(rest),"pid":1,"tid":1,"ts":\#(time)}"#
  }

  @Test("a valid file has no fault, and every violation is found")  // X3
  func violations() throws {
    #expect(try fault(event("B", 1), event("E", 2)) == nil)
    #expect(try fault(event("B", 1)) == "track 1: 1 spans do not end")
    #expect(try fault(event("E", 1)) == "track 1: a span ends at 1.0 that did not begin")
    #expect(try fault(event("B", 2), event("E", 1)) == "track 1 goes back to 1.0")
    #expect(try fault(event("B", 2, track: 2)) == "track 2 has no name")
    #expect(try fault(event("s", 2, id: 3)) == "track 1: an arrow at 2.0 is in no span")
    let (start, end) = (event("B", 1), event("E", 9))
    #expect(try fault(start, event("s", 2, id: 3), end) == "arrow 3 has s")
    #expect(try fault(start, event("s", 2, id: 3), event("f", 4, id: 3), end) == nil)
    let back = [event("f", 2, id: 3), event("s", 4, id: 3)]
    #expect(try fault(start, back[0], back[1], end) == "arrow 3 goes back from 4.0 to 2.0")
    func counter(_ time: Int, id: Int = 1, _ values: String = #""value":-1"#) -> String {
      event("C", time, #""name":"n","id":\#(id),"args":{\#(values)}"#)
    }
    #expect(try fault(counter(4), counter(3)) == "counter n goes back to 3.0")
    #expect(try fault(counter(4), counter(3, id: 2)) == nil)
    #expect(try fault(counter(4, "")) == "the counter n has no value")
    let anonymous = #"{"ph":"C","name":"n","args":{"value":1},"pid":1,"ts":4}"#
    #expect(try fault(anonymous) == "counter n has no id")
    let unknown = "the mark n is neither the user's nor a frame"
    #expect(try fault(event("i", 2)) == unknown)
    func mark(_ name: String, _ late: Int) -> String {
      event("i", 4, #""cat":"frame","name":"\#(name)","args":{"late":\#(late)}"#)
    }
    #expect(try fault(mark("frame 3", 0)) == nil)
    #expect(try fault(mark("n", -1)) == unknown)
    #expect(try fault(mark("n", 0)) == "a frame has no number")
    #expect(try fault(event("X", 4)) == "unknown event X")
  }
}
