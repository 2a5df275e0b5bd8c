import Foundation
import LoopTransactions
import LoopbenchKit
import TestSupport
import Testing

@Suite("TimelinePage")
struct TimelinePageTests {
  /// The data of a page, as its script reads them.
  private struct PageData: Decodable {
    struct Thread: Decodable {
      let name: String
      let starts: [Int]
      let durations: [Int]
      let depths: [Int]
      let kinds: [Int]
      let marks: [Mark]
    }

    struct Mark: Decodable {
      let time: Int
      let name: String
    }

    struct Counter: Decodable {
      let name: String
      let times: [Int]
      let series: [String: [Double]]
    }

    let kinds: [[String]]
    let threads: [Thread]
    let counters: [Counter]
    let arrows: [[Int]]
    let ticks: [[Int]]
    let work: [[Int]]

    /// The data between the tags of the page's element.
    init(page: String) throws {
      let opening = "<script type=\"application/json\" id=\"data\">"
      let start = try #require(page.range(of: opening))
      let rest = page[start.upperBound...]
      let end = try #require(rest.range(of: "</script>"))
      self = try JSONDecoder().decode(PageData.self, from: Data(rest[..<end.lowerBound].utf8))
    }

    /// The spans of a thread, as lines that can be compared.
    func spans(_ thread: Thread) -> [String] {
      var start = 0
      return thread.starts.indices.map { index in
        start += thread.starts[index]
        let kind = kinds[thread.kinds[index]]
        return "\(kind) \(start) \(start + thread.durations[index])"
      }
    }
  }

  @Test("the page has the events of the trace")
  func data() throws {
    let timeline = try MadeTrace.timeline()
    let data = try PageData(page: TimelinePage(timeline, title: "t.json").html())
    #expect(data.threads.map(\.name) == ["main", "worker"])
    for (thread, own) in zip(data.threads, timeline.threads) {
      let expected = own.spans.map { span in
        let kind = timeline.kinds[span.kind]
        return "\([kind.name, kind.category]) \(span.start) \(span.end)"
      }
      #expect(data.spans(thread) == expected)
      #expect(thread.depths == own.spans.map(\.depth))
      #expect(thread.marks.map(\.name) == own.marks.map(\.name))
      #expect(thread.marks.map(\.time) == own.marks.map(\.time))
    }
    #expect(data.arrows == [[0, 2500, 2, 1, 10_000, 0, 0, 41_000, 5]])
    #expect(data.counters.map(\.times) == [[2500, 10_000]])
    #expect(data.counters.first?.series == ["queued": [1, 0], "workers": [0, 1]])
    #expect(data.ticks == [[0, 0, 2, 5750], [0, 4, 5, 1000]])
    #expect(data.work.first == [5, 1, 29_000, 29_000, 1, 0])
  }

  @Test("a name or a title that contains markup does not end the page's script")
  func escaping() throws {
    let timeline = try MadeTrace.timeline()
    let page = TimelinePage(timeline, title: MadeTrace.hostile).html()
    #expect(try PageData(page: page).kinds.contains { $0[0] == MadeTrace.hostile })
    // The data and two scripts. Anything else would be markup of the name.
    #expect(page.components(separatedBy: "<script").count == 1 + 3)
    #expect(page.components(separatedBy: "</script>").count == 1 + 3)
    #expect(!page.contains("<b>"))
  }

  @Test("the page loads nothing, and its policy forbids it")
  func offline() throws {
    let page = TimelinePage(try MadeTrace.timeline(), title: "t.json").html()
    #expect(page.hasPrefix(TimelinePage.beginning))
    #expect(page.contains("default-src 'none'"))
    for text in ["http:", "https:", "src=", "@import", "url(", "fetch(", "import("] {
      #expect(!page.contains(text), "\(text)")
    }
  }

  @Test("100,000 spans are drawn from at most 24 bytes each")
  func large() throws {
    let events = (0..<50_000).flatMap { number in
      [("B", "tick", 0), ("B", "work \(number % 50)", 2), ("E", "", 7), ("E", "", 9)].map {
        #"{"ph":"\#($0)","cat":"\#($1)","name":"\#($1)","pid":1,"tid":1,"ts":\#(number * 10 + $2)}"#
      }
    }
    let timeline = try MadeTrace.timeline(MadeTrace.json(events))
    let empty = try TimelinePage(MadeTrace.timeline(), title: "t.json").html()
    let page = TimelinePage(timeline, title: "t.json").html()
    #expect(timeline.spanCount == 100_000)
    let data = try PageData(page: page)
    #expect(data.threads.map(\.starts.count) == [100_000])
    #expect(data.kinds.count == 51)
    #expect(data.ticks.count == 100)
    #expect(page.utf8.count - empty.utf8.count < 100_000 * 24)
  }

  // In an exit test, because a trace is of the whole process.
  @Test("the page of a trace that LoopTrace recorded has its spans, marks and arrows")
  func recorded() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      let trace = try LoopTrace()
      let transaction = AsyncTransaction(on: loop, name: "pictures")
      transaction.add("decode") { _ in LoopTrace.mark("decoding") }
      transaction.commit()
      loop.run()
      trace.stop()
      try loop.close()
      let json = trace.json
      let file = try TestSupport.TraceFile(json)
      let timeline = try MadeTrace.timeline(json)
      let data = try PageData(page: TimelinePage(timeline, title: "t.json").html())
      let spans = data.threads.flatMap { data.spans($0) }
      let expected = file.spans.map { span in
        let times = [span.start, span.end].map { Int(($0 * 1000).rounded()) }
        return "\([span.name, span.category]) \(times[0]) \(times[1])"
      }
      #expect(spans.sorted() == expected.sorted())
      #expect(spans.contains { $0.hasPrefix("[\"decode\", \"operation\"]") })
      #expect(data.threads.flatMap { $0.marks.map(\.name) }.sorted() == file.marks.sorted())
      #expect(data.arrows.count == file.arrows.count)
      #expect(Set(data.threads.map(\.name)).isSubset(of: file.tracks.values))
    }
  }
}
