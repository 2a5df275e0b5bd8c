import LoopbenchKit
import TestSupport
import Testing

@Suite("TimelineFindings")
struct TimelineFindingsTests {
  @Test("the culprit of a tick is its piece of work with the longest own time")
  func culprit() throws {
    let timeline = try MadeTrace.timeline()
    let findings = TimelineFindings(timeline)
    #expect(findings.hasTicks && findings.tickCount == 2)
    #expect(findings.ticks.map(\.duration) == [8000, 3000])
    // The layout takes 6 us, of which the observer in it takes 250 ns. The flush around
    // it is not work.
    #expect(findings.ticks.map(\.culpritTime) == [5750, 1000])
    let names = findings.ticks.map { tick in
      tick.culprit.map { timeline.kinds[timeline.threads[$0.thread].spans[$0.span].kind].name }
    }
    #expect(names == ["layout", "decode"])
  }

  @Test("work is ordered by total own time, apart by category")
  func work() throws {
    let timeline = try MadeTrace.timeline()
    let work = TimelineFindings(timeline).work
    let categories = work.map { timeline.kinds[$0.kind].category }
    #expect(categories == ["operation", "transaction", "completion", "observer"])
    #expect(work.map(\.total) == [29_000, 5750, 1000, 250])
    #expect(work.map(\.count) == [1, 1, 1, 1])
    #expect(work[0].longest == 29_000)
    #expect(work[0].place.thread == 1 && work[0].place.span == 0)
  }

  @Test("a tick without work has no culprit, and other traces have their longest spans")
  func none() throws {
    func findings(_ name: String) throws -> TimelineFindings {
      let outer = #"{"ph":"X","name":"\#(name)","pid":1,"tid":1,"ts":1,"dur":5}"#
      return TimelineFindings(try MadeTrace.timeline(MadeTrace.json([outer])))
    }
    let tick = try findings("tick")
    #expect(tick.ticks.map(\.culprit) == [nil])
    #expect(tick.work.isEmpty && tick.tickCount == 1)
    let other = try findings("frame")
    #expect(!other.hasTicks && other.tickCount == 0)
    #expect(other.ticks.map(\.duration) == [5000])
    #expect(other.text(name: "x").contains("Longest spans:"))
  }

  @Test("the empty span around the end of an arrow is no work, and no longest span")
  func arrows() throws {
    func event(_ phase: String, _ category: String, _ time: Int) -> String {
      #"{"ph":"\#(phase)","cat":"\#(category)","name":"add","pid":7,"tid":9,"ts":\#(time)}"#
    }
    let bare = [event("B", "arrow", 50), event("s", "add", 50), event("E", "arrow", 50)]
    let timeline = try MadeTrace.timeline(MadeTrace.json(MadeTrace.events + bare))
    let findings = TimelineFindings(timeline)
    #expect(timeline.kinds.contains { $0.category == "arrow" })
    #expect(findings.work == TimelineFindings(try MadeTrace.timeline()).work)
    #expect(!findings.text(name: "x").contains("arrow"))
    let alone = TimelineFindings(try MadeTrace.timeline(MadeTrace.json(bare)))
    #expect(alone.work.isEmpty && alone.ticks.isEmpty)
  }

  @Test("the summary is the golden file")
  func golden() throws {
    let text = TimelineFindings(try MadeTrace.timeline(MadeTrace.json(lost: 12))).text(
      name: "t.json"
    )
    #expect(try text == Golden.expected(text, "trace.txt"))
  }

  @Test("the summary has ten rows of each table, and no control characters")
  func rows() throws {
    let events = (1...30).flatMap { number in
      [("tick", 9), ("\\u001b[31m\(number)", number % 7 + 1)].map { name, duration in
        #"{"ph":"X","name":"\#(name)","pid":1,"tid":1,"ts":\#(number * 10),"dur":\#(duration)}"#
      }
    }
    let timeline = try MadeTrace.timeline(MadeTrace.json(events))
    let text = TimelineFindings(timeline).text(name: "\u{1B}[0m")
    #expect(!text.contains("\u{1B}"))
    #expect(text.split(separator: "\n").count == 1 + 2 * (1 + 1 + 10))
  }
}
