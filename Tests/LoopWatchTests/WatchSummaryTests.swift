import LoopWatch
import LoopbenchKit
import Testing

@Suite("WatchSummary")
struct WatchSummaryTests {
  fileprivate func late(
    _ length: UInt64,
    _ parts: [Cause: UInt64],
    culprit: String? = nil,
    events: Int = 1
  ) -> LateHold {
    var divided = HoldParts()
    for (cause, time) in parts { divided[cause] = time * 1_000_000 }
    var late = LateHold(
      hold: Hold(began: 0, ended: length * 1_000_000, events: events),
      parts: divided
    )
    if let culprit { late.captures = [Capture(stack: [StackFrame(culprit, role: .program)])] }
    return late
  }

  @Test("holds are counted at their main cause, and times at each")
  func rows() {
    var summary = WatchSummary(threshold: 20_000_000)
    summary.add(late(60, [.running: 16, .waiting: 44], culprit: "f"))
    summary.add(late(100, [.running: 100], culprit: "f"))
    let rows = summary.sortedRows
    #expect(rows.map(\.cause) == [.running, .waiting])
    #expect(rows.map(\.count) == [1, 1])
    #expect(rows[0].time == 116_000_000 && rows[0].worst == 100_000_000)
  }

  @Test("recursions of different depths share a row, which shows the longest hold")
  func recursion() {
    var summary = WatchSummary(threshold: 20_000_000)
    for (time, depth) in [(30, 2), (50, 4), (40, 1)] as [(UInt64, Int)] {
      var late = late(time, [.running: time])
      let frames = [StackFrame](repeating: StackFrame("f", role: .program), count: depth)
      late.captures = [Capture(stack: frames)]
      summary.add(late)
    }
    #expect(summary.sortedRows.map(\.description) == ["f ×4"])
  }

  @Test("the text has a headline and a table")
  func text() {
    var summary = WatchSummary(threshold: 20_000_000)
    summary.add(late(212, [.running: 212], culprit: "loadCart cart.js:88"))
    summary.add(late(40, [.blocked: 39, .unexplained: 1]))
    (summary.ticks, summary.length) = (12408, 30_000_000_000)
    #expect(
      summary.text() == """
        late over 20 ms: 2 times in 30 s, 252 ms in all, worst 212 ms; 12,408 ticks, 1 % of the time late
          212 ms  running  loadCart cart.js:88  once  worst 212 ms
           39 ms  blocked  a system call        once  worst 40 ms
        all holds: p50 40 ms, p99 212 ms, worst 212 ms

        """
    )
  }

  @Test("a row tells how many events its holds had, if they had several")
  func events() {
    var summary = WatchSummary(threshold: 20_000_000)
    summary.add(late(40, [.running: 40], culprit: "f", events: 1))
    #expect(summary.table(width: 80)[0].hasSuffix("once  worst 40 ms"))
    summary.add(late(30, [.running: 30], culprit: "f", events: 1001))
    #expect(summary.table(width: 80)[0].hasSuffix("2 times  worst 40 ms, 501 events each"))
    summary.add(late(900, [.blocked: 900], culprit: "g", events: 30))
    #expect(summary.table(width: 80)[0].hasSuffix("  once  worst 900 ms, 30 events"))
  }

  @Test("a watch of many functions keeps the longest rows, and the time of the others")
  func manyRows() {
    var summary = WatchSummary(threshold: 20_000_000)
    for number in 1...5000 as ClosedRange<UInt64> {
      summary.add(late(20 + number, [.running: 20 + number], culprit: "f\(number)"))
    }
    let rows = summary.sortedRows
    #expect(rows.count <= WatchSummary.mostRows && rows[1].description == "f5000")
    #expect(rows[0].description == "other functions" && rows[0].cause == .running)
    #expect(rows.reduce(0) { $0 + $1.time } == summary.total)
    #expect(rows.reduce(0) { $0 + $1.count } == 5000)
    let table = summary.table(width: 80)
    #expect(table.count == 21 && table[20].hasPrefix("  and "))
  }

  @Test("descriptions are cut so that the counts fit")
  func width() {
    var summary = WatchSummary(threshold: 1)
    summary.add(late(30, [.running: 30], culprit: String(repeating: "f", count: 200)))
    #expect(summary.table(width: 80)[0].count == 80)
    #expect(summary.table(width: 80)[0].hasSuffix("f…  once  worst 30 ms"))
  }

  @Test("each cause is blamed on the functions that were seen in its state")
  func culprits() {
    var late = late(100, [.running: 50, .blocked: 50])
    late.captures = [
      Capture(stack: [StackFrame("compute", role: .program)], state: .runnable),
      Capture(stack: [StackFrame("spawn", role: .program)], state: .blocked),
    ]
    late.reason = "wait for a child"
    #expect(late.description(of: .running) == "compute")
    #expect(late.description(of: .blocked) == "wait for a child in spawn")
  }

  @Test(
    "a number of seconds is shown as a date",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"),
      (951_782_400, "2000-02-29T00:00:00Z"), (1_795_888_992, "2026-11-28T18:03:12Z"),
      (4_107_542_400, "2100-03-01T00:00:00Z"),
    ] as [(UInt64, String)]
  )
  func date(seconds: UInt64, text: String) { #expect(TimeText.date(seconds) == text) }

  @Test("a watch without a late hold says so")
  func nothing() {
    var summary = WatchSummary(threshold: 20_000_000)
    (summary.ticks, summary.length) = (1, 2_000_000_000)
    #expect(summary.text() == "never late over 20 ms in 2 s; 1 tick\n")
  }

  @Test("a loop that may be held is not counted, but comes first")
  func possibleHold() {
    var summary = WatchSummary(threshold: 20_000_000)
    summary.possibleHold = "one loop may be held"
    summary.length = 2_000_000_000
    #expect(
      summary.text() == "one loop may be held\notherwise never late over 20 ms in 2 s; 0 ticks\n"
    )
    #expect(LiveView().lines(summary, title: "", width: 80, height: 9)[1] == "one loop may be held")
  }

  @Test("control characters of names do not reach the terminal")
  func control() {
    var summary = WatchSummary(threshold: 1)
    summary.add(late(30, [.running: 30], culprit: "a\u{1b}[2J"))
    #expect(!summary.text().contains("\u{1b}"))
  }
}

@Suite("EvenSamples")
struct EvenSamplesTests {
  @Test("a long span keeps samples that are evenly spaced")
  func spacing() {
    var samples = EvenSamples<Int>(limit: 4)
    var taken: [Int] = []
    for interval in 1...40 where interval >= samples.nextDue {
      samples.add(interval)
      taken.append(interval)
    }
    #expect(taken == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32])
    #expect(samples.elements == [16, 32])
  }
}

extension WatchSummaryTests {
  @Test("a hold whose functions have no names says so, and how to get them")
  func namelessFunctions() {
    let nameless = [StackFrame("_PyEval_EvalFrameDefault", role: .library)]
    var hold = late(30, [.running: 30])
    #expect(hold.line == "late 30 ms  running  no stack was captured\n")
    hold.captures = [Capture(stack: nameless)]
    var summary = WatchSummary(threshold: 1)
    for _ in 0..<2 { summary.add(hold) }
    let lines = summary.text().split(separator: "\n")
    #expect(lines[1].contains("running  functions without names"))
    #expect(
      lines.last
        == "note: to name the functions of Python, use version 3.12 or newer and PYTHONPERFSUPPORT=1"
    )
  }

  @Test("a line about a hold that waited for a CPU has no gaps")
  func gaps() {
    let hold = late(30, [.waiting: 20, .running: 10])
    #expect(hold.line == "late 30 ms  waiting for CPU (running 10 ms)\n")
  }
}

@Suite("WatchOptions")
struct WatchOptionsTests {
  @Test("options end at the command, or at two dashes")
  func command() throws {
    let options = try WatchOptions(["--threshold", "5ms", "-d30s", "--each", "node", "-d", "x"])
    #expect(options.threshold == 5_000_000 && options.length == 30_000_000_000 && options.isEach)
    #expect(options.command == ["node", "-d", "x"])
    #expect(try WatchOptions(["--", "--odd"]).command == ["--odd"])
  }

  @Test(
    "a mistake is an error that names the expected value",
    arguments: [
      (
        ["--threshold", "soon"],
        "--threshold needs a time of at least 1ms, such as 20ms or 30s, got \"soon\""
      ),
      (["-d", "99999999999s"], "-d needs a shorter time, got \"99999999999s\""),
      (["--threshhold=5ms"], "there is no option \"--threshhold\"; did you mean \"--threshold\"?"),
      (["--json"], "--json needs a value: --json FILE"),
      (
        ["--json", "late", "--html", "late"],
        "--json and --html need different files, got \"late\""
      ),
      (
        ["--fail", "q50>1ms"],
        "\"q50>1ms\" is not a limit: expected late>TIME, worst>TIME or a percentile, as in p99>50ms"
      ),
    ]
  )
  func mistakes(words: [String], message: String) {
    #expect(throws: (any Error).self) { try WatchOptions(words) }
    do { _ = try WatchOptions(words) } catch { #expect("\(error)" == message) }
  }

  @Test("a limit is exceeded by more, not by as much")
  func limits() throws {
    var summary = WatchSummary(threshold: 1)
    summary.add(LateHold(hold: Hold(began: 0, ended: 100_000_000), parts: HoldParts()))
    #expect(try !LateRule("worst>100ms").isExceeded(by: summary))
    #expect(try LateRule("worst>99ms").isExceeded(by: summary))
    #expect(try LateRule("late > 99ms").isExceeded(by: summary))
  }

  @Test("a percentile counts all holds, not only the late ones")
  func percentiles() throws {
    var summary = WatchSummary(threshold: 20_000_000)
    for _ in 0..<98 { summary.lengths.record(nanoseconds: 1e6) }
    for _ in 0..<2 { summary.add(Example.late(from: 1, [.running: 60])) }
    #expect(try LateRule("p99>50ms").isExceeded(by: summary))
    #expect(try !LateRule("p98>50ms").isExceeded(by: summary))
    #expect(try LateRule("p99.9>59ms").isExceeded(by: summary))
    #expect(summary.distribution == "all holds: p50 1 ms, p99 60 ms, worst 60 ms")
  }
}

@Suite("LiveView")
struct LiveViewTests {
  private var summary: WatchSummary {
    var summary = WatchSummary(threshold: 20_000_000)
    for (name, time) in [("one", 90), ("other", 40)] as [(String, UInt64)] {
      var parts = HoldParts()
      parts[.running] = time * 1_000_000
      var late = LateHold(hold: Hold(began: 0, ended: time * 1_000_000), parts: parts)
      late.captures = [Capture(stack: ["inner", name].map { StackFrame($0, role: .program) })]
      summary.add(late)
    }
    return summary
  }

  private func lines(_ view: LiveView, height: Int = 24) -> [String] {
    view.lines(summary, title: "node a.js", width: 60, height: height)
  }

  @Test("arrow keys select a row and open its stack")
  func keys() {
    var view = LiveView()
    #expect(lines(view)[3].hasPrefix("> ") && lines(view)[4].hasPrefix("  "))
    #expect(view.press("\u{1b}[B".utf8, rows: 2) == nil)
    #expect(view.press("\u{1b}[B".utf8, rows: 2) == nil)
    #expect(lines(view)[4].hasPrefix("> "))
    #expect(view.press("\u{1b}[C".utf8, rows: 2) == nil)
    #expect(lines(view)[5...6] == ["      inner", "      other"])
    #expect(view.press("\u{1b}[D".utf8, rows: 2) == nil)
    #expect(lines(view).count == 6)
  }

  @Test("q and Ctrl-C quit, r resets, p pauses")
  func requests() {
    var view = LiveView()
    #expect(view.press("q".utf8, rows: 0) == .quit && view.press("\u{3}".utf8, rows: 0) == .quit)
    #expect(view.press("r".utf8, rows: 0) == .reset)
    #expect(view.press("p".utf8, rows: 0) == nil && view.isPaused)
  }

  @Test("the screen has as many lines as the terminal, at most")
  func height() { #expect(lines(LiveView(), height: 4).count == 4) }
}

@Suite("FlightRecorder")
struct FlightRecorderTests {
  private static let second: UInt64 = 1_000_000_000

  private func recorder(_ rules: String...) throws -> FlightRecorder {
    FlightRecorder(span: 60 * Self.second, rules: try rules.map { try LateRule($0) })
  }

  private func hold(at seconds: UInt64, milliseconds: UInt64) -> Hold {
    let end = seconds * Self.second
    return Hold(began: end - milliseconds * 1_000_000, ended: end)
  }

  @Test("a hold over the limit is recorded once")
  func once() throws {
    var recorder = try recorder("worst>100ms")
    recorder.add(hold(at: 1, milliseconds: 100))
    #expect(recorder.begin(at: Self.second) == nil)
    recorder.add(hold(at: 2, milliseconds: 101))
    #expect(recorder.begin(at: 2 * Self.second)?.rule.text == "worst>100ms")
    #expect(recorder.begin(at: 2 * Self.second) == nil && recorder.count == 1)
  }

  @Test("a limit that is exceeded soon after a recording is recorded one span later")
  func rate() throws {
    var recorder = try recorder("worst>100ms")
    recorder.add(hold(at: 2, milliseconds: 200))
    #expect(recorder.begin(at: 2 * Self.second) != nil)
    recorder.add(hold(at: 10, milliseconds: 200))
    #expect(recorder.begin(at: 61 * Self.second) == nil)
    #expect(recorder.begin(at: 62 * Self.second)?.span == 60 * Self.second)
    recorder.add(hold(at: 70, milliseconds: 200))
    #expect(recorder.begin(at: 70 * Self.second, isLast: true)?.span == 8 * Self.second)
    #expect(recorder.count == 3)
  }

  @Test("the late holds of the last span are summed")
  func lateTime() throws {
    var recorder = try recorder("late>1s")
    for second in 1...20 as ClosedRange<UInt64> {
      recorder.add(hold(at: second * 10, milliseconds: 140))
    }
    #expect(recorder.begin(at: 200 * Self.second) == nil)
    recorder.add(hold(at: 200, milliseconds: 140))
    #expect(recorder.begin(at: 200 * Self.second)?.rule.text == "late>1s")
  }

  @Test("a percentile of the watch is no reason to record")
  func percentile() throws {
    var recorder = try recorder("p99>1ms", "worst>1s")
    recorder.add(hold(at: 1, milliseconds: 500))
    #expect(recorder.begin(at: Self.second) == nil)
  }

  @Test("the options of a recorder must name a limit of holds and a file")
  func options() throws {
    func message(_ words: String...) -> String {
      do { return try WatchOptions(words).recorder() == nil ? "none" : "ok" } catch {
        return "\(error)"
      }
    }
    #expect(message("--html", "a") == "none")
    #expect(message("--record", "5m", "--fail", "worst>1s", "--html", "a") == "ok")
    #expect(
      message("--record", "5m", "--fail", "p99>1s", "--html", "a")
        == "--record needs a limit of holds: --fail 'worst>100ms' or --fail 'late>1s'"
    )
    #expect(
      message("--record", "5m", "--fail", "late>1s")
        == "--record needs a file to write: --json FILE, --html FILE, --trace FILE, --folded FILE, "
        + "--load FILE"
    )
    #expect(
      message("--record", "5ms")
        == "--record needs a time of at least 1s, such as 30s or 5min, got \"5ms\""
    )
  }

  @Test("a series of files is numbered before the extension")
  func numbered() {
    let paths = ["a.html", "a.b/late", "/x.y/a.trace.json", ".late"]
    #expect(paths.map { $0.numbered(1) } == paths)
    #expect(
      paths.map { $0.numbered(12) }
        == ["a-12.html", "a.b/late-12", "/x.y/a.trace-12.json", ".late-12"]
    )
  }
}
