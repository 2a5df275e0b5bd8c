import LoopWatch
import LoopbenchKit
import Testing

@Suite("FlameGraph")
struct FlameGraphTests {
  private func lines(_ graph: FlameGraph, least: Double = 0) -> [String] {
    graph.nodes(least: least).map {
      "\($0.depth) \($0.name) \($0.start / 1_000_000)+\($0.time / 1_000_000)"
    }
  }

  @Test("functions are as wide as their time, and the loop's callers are left out")
  func widths() {
    let holds = [
      Example.late(from: 1, [.running: 90], stacks: [(.runnable, Example.frames("a", "call"))]),
      Example.late(
        from: 2,
        [.running: 30],
        stacks: [(.runnable, Example.frames("b", "call")), (.runnable, Example.frames("c"))]
      ),
    ]
    let graph = FlameGraph(.running, of: holds)
    #expect(graph.time == 120_000_000)
    #expect(
      lines(graph) == [
        "0 call a.js:1 0+105", "0 c a.js:1 105+15", "1 a a.js:1 0+90", "1 b a.js:1 90+15",
      ]
    )
    #expect(lines(graph, least: 0.2) == ["0 call a.js:1 0+105", "1 a a.js:1 0+90"])
  }

  @Test("a function that calls itself is one node, also if another one calls it")
  func recursion() {
    let late = Example.late(
      from: 1,
      [.running: 40],
      stacks: [(.runnable, Example.frames("f", "f", "g", "f"))]
    )
    #expect(
      lines(FlameGraph(.running, of: [late]))
        == ["0 f a.js:1 0+40", "1 g a.js:1 0+40", "2 f a.js:1 0+40"]
    )
  }

  @Test("each cause has the stacks that were seen in its state")
  func states() {
    let late = Example.late(
      from: 1,
      [.running: 50, .blocked: 30],
      stacks: [(.runnable, Example.frames("compute")), (.blocked, Example.frames("spawn"))]
    )
    #expect(lines(FlameGraph(.running, of: [late])) == ["0 compute a.js:1 0+50"])
    #expect(lines(FlameGraph(.blocked, of: [late])) == ["0 spawn a.js:1 0+30"])
    #expect(FlameGraph(.stolen, of: [late]).isEmpty)
  }

  @Test("holds without a stack keep their time")
  func unknown() {
    let graph = FlameGraph(.blocked, of: Example.holds)
    #expect(lines(graph) == ["0 no stack was captured 0+39"])
    #expect(graph.isEmpty)
  }
}

@Suite("HoldLane")
struct HoldLaneTests {
  @Test("a slice of time shows its longest hold, and each loop has a lane")
  func bars() {
    var holds = (0..<1000).map {
      Example.late(from: UInt64($0) * 30, [.running: 20 + UInt64($0 % 7)])
    }
    holds.append(Example.late(from: 0, [.running: 500], thread: "worker"))
    let lanes = HoldLane.all(in: Example.result(holds))
    #expect(lanes.map(\.name) == ["node", "worker"])
    #expect(lanes[0].bars.count <= HoldLane.columns && lanes[0].bars.count > 100)
    #expect(lanes[0].bars.allSatisfy { $0.late.hold.length >= 24_000_000 })
    #expect(lanes[1].bars.map(\.number) == [1000] && lanes[1].worst == 500_000_000)
    #expect(lanes.flatMap(\.bars).allSatisfy { 0...1 ~= $0.left && $0.width >= 0.006 })
  }
}

@Suite("WatchPage")
struct WatchPageTests {
  @Test("the page has the report, a bar and a list entry for each hold, and flame graphs")
  func contents() {
    let page = WatchPage(Example.result(Example.holds)).html()
    #expect(page.contains("late over 20 ms: 2 times in 30 s"))
    #expect(page.contains("2025-11-24T16:00:00Z"))
    for number in 0..<2 {
      #expect(page.contains("href=\"#hold-\(number)\"") && page.contains("id=\"hold-\(number)\""))
    }
    #expect(page.contains("class=\"flames running\"") && page.contains("class=\"flames waiting\""))
    #expect(page.contains("load a.js:1: 80 ms, 100.0 %"))
  }

  @Test("the page loads nothing")
  func selfContained() {
    let page = WatchPage(Example.result(Example.holds)).html()
    for word in ["http:", "https:", "src=", "@import", "url("] {
      #expect(!page.contains(word), "\(word)")
    }
    #expect(page.contains("default-src 'none'"))
  }

  @Test("a watch without a late hold has a page without graphs")
  func empty() {
    let page = WatchPage(Example.result([])).html()
    #expect(page.contains("never late over 20 ms") && !page.contains("class=\"lane\""))
  }

  @Test(
    "names of the program cannot add markup",
    arguments: [
      "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onclick='x", "</title><b>",
      "&lt;b&gt;", "a\u{0}\u{1b}[2Jb", "]]>", "--><b>",
    ]
  )
  func hostile(name: String) {
    let plain = WatchPage(Example.result(Example.holds)).html()
    let stack = [StackFrame(name, place: name, role: .program)]
    var late = Example.late(
      from: 1,
      [.blocked: 80, .running: 20],
      stacks: [(.blocked, stack), (.runnable, stack)],
      thread: name
    )
    (late.reason, late.quota) = (name, name)
    let holds = [late, Example.late(from: 500, [.throttled: 50], thread: name + "2")]
    let page = WatchPage(Example.result(holds, program: name)).html()
    func count(_ text: String, _ tag: String) -> Int { text.split(separator: tag).count }
    for tag in ["<script", "<img", "<title", "<b>", "<!--", "</script"] {
      #expect(count(page, tag) == count(plain, tag), "\(tag)")
    }
    #expect(!page.contains("\u{1b}") && !page.contains("\u{0}"))
  }
}
