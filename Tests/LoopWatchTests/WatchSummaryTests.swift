import LoopWatch
import Testing

@Suite("WatchSummary")
struct WatchSummaryTests {
  private func late(_ length: UInt64, _ parts: [Cause: UInt64], culprit: String? = nil) -> LateHold {
    var divided = HoldParts()
    for (cause, time) in parts { divided[cause] = time * 1_000_000 }
    var late = LateHold(hold: Hold(began: 0, ended: length * 1_000_000), parts: divided)
    late.culprit = culprit.map { Culprit(path: [$0]) }
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

        """
    )
  }

  @Test("a watch without a late hold says so")
  func nothing() {
    var summary = WatchSummary(threshold: 20_000_000)
    (summary.ticks, summary.length) = (1, 2_000_000_000)
    #expect(summary.text() == "never late over 20 ms in 2 s; 1 tick\n")
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
    "a mistake is an error that says what is expected",
    arguments: [
      (["--threshold", "soon"], "--threshold needs a time of at least 1ms, such as 20ms or 30s, got \"soon\""),
      (["--threshhold=5ms"], "there is no option \"--threshhold\"; did you mean \"--threshold\"?"),
      (["--json"], "--json needs a value: --json FILE"),
      (["--fail", "p50>1ms"], "\"p50>1ms\" is not a limit: expected late>TIME or worst>TIME, as in worst>100ms"),
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
    #expect(try LateRule("late > 99ms").isExceeded(by: summary))
  }
}
