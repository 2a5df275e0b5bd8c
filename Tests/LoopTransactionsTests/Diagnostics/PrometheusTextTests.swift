import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

/// The lines of a text that begin with `prefix`.
private func lines(_ text: PrometheusText, _ prefix: String) -> [String] {
  "\(text)".split(separator: "\n").map(String.init).filter { $0.hasPrefix(prefix) }
}

/// Latencies with the given times, in milliseconds, as each histogram.
private func latencies(_ milliseconds: [Int]) -> LoopLatencies {
  var histogram = LatencyHistogram()
  for time in milliseconds { histogram.record(.milliseconds(time)) }
  var latencies = LoopLatencies()
  (latencies.wakeLateness, latencies.busy) = (histogram, histogram)
  latencies.pollToCallback = histogram
  return latencies
}

@Suite("PrometheusText")
struct PrometheusTextTests {
  @Test("each metric has one HELP and one TYPE line, before the samples of all loops")  // X2
  func families() {
    var text = PrometheusText()
    for name in ["a", "b"] { text.add(name, LoopMetrics(), latencies([1])) }
    var seen: Set<String> = []
    var current = ""
    for line in "\(text)".split(separator: "\n") {
      let words = line.split(separator: " ")
      if line.hasPrefix("# HELP") {
        current = String(words[2])
        #expect(seen.insert(current).inserted, "\(current) is in two places")
      } else if line.hasPrefix("# TYPE") {
        #expect(words[2] == current)
        #expect(["counter", "gauge", "histogram"].contains(words[3]))
      } else {
        #expect(line.hasPrefix(current), "\(line)")
      }
    }
    #expect(seen.count == 18)
    #expect("\(text)".hasSuffix("\n"))
  }

  @Test("counters and gauges have the values of the metrics")  // X2
  func counters() {
    var (text, metrics) = (PrometheusText(), LoopMetrics())
    (metrics.ticks, metrics.pendingPosts) = (7, 3)
    text.add("main", metrics)
    #expect(
      lines(text, "looptransactions_ticks") == ["looptransactions_ticks_total{loop=\"main\"} 7"]
    )
    #expect("\(text)".contains("# TYPE looptransactions_ticks_total counter\n"))
    #expect("\(text)".contains("looptransactions_pending_posts{loop=\"main\"} 3\n"))
    #expect("\(text)".contains("# TYPE looptransactions_pending_posts gauge\n"))
  }

  @Test("times are in seconds, and only of loops that measured them")  // X2
  func times() {
    var (text, metrics) = (PrometheusText(), LoopMetrics())
    text.add("unmeasured", metrics)
    #expect(!"\(text)".contains("seconds"))
    (metrics.busy, metrics.idle) = (.milliseconds(1500), .seconds(2))
    text.add("measured", metrics)
    #expect(
      lines(text, "looptransactions_busy")
        == ["looptransactions_busy_seconds_total{loop=\"measured\"} 1.5"]
    )
    #expect(
      lines(text, "looptransactions_idle")
        == ["looptransactions_idle_seconds_total{loop=\"measured\"} 2"]
    )
  }

  @Test("buckets are cumulative, and end with the count and the sum")  // X2
  func buckets() throws {
    var text = PrometheusText()
    text.add("main", LoopMetrics(), latencies([1, 3, 3, 40, 20_000]))
    let name = "looptransactions_tick_busy_seconds"
    let found = lines(text, name)
    #expect("\(text)".contains("# TYPE \(name) histogram\n"))
    #expect(found.count == 25)
    #expect(found.first == "\(name)_bucket{loop=\"main\",le=\"1e-06\"} 0")
    #expect(found.contains("\(name)_bucket{loop=\"main\",le=\"2.5e-06\"} 0"))
    #expect(found.contains("\(name)_bucket{loop=\"main\",le=\"0.0025\"} 1"))
    #expect(found.contains("\(name)_bucket{loop=\"main\",le=\"0.005\"} 3"))
    #expect(found.contains("\(name)_bucket{loop=\"main\",le=\"0.05\"} 4"))
    #expect(found.contains("\(name)_bucket{loop=\"main\",le=\"10\"} 4"))
    #expect(
      found.suffix(3) == [
        "\(name)_bucket{loop=\"main\",le=\"+Inf\"} 5",
        "\(name)_sum{loop=\"main\"} 20.047",
        "\(name)_count{loop=\"main\"} 5",
      ]
    )
    let counts = found.filter { $0.contains("_bucket") }
      .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    #expect(counts.count == 23 && counts == counts.sorted())
  }

  @Test("a loop without latencies has no histogram")  // X2
  func withoutLatencies() {
    var text = PrometheusText()
    text.add("silent", LoopMetrics())
    #expect(!"\(text)".contains("_bucket"))
    text.add("recorded", LoopMetrics(), LoopLatencies())
    #expect(lines(text, "looptransactions_wake_lateness").count == 25)
    #expect(!lines(text, "looptransactions_wake_lateness").contains { $0.contains("silent") })
  }

  @Test("a name's quotes, backslashes and line breaks are escaped")  // X2
  func escapes() {
    var text = PrometheusText()
    text.add("a\"b\\c\nd", LoopMetrics())
    #expect("\(text)".contains(#"looptransactions_ticks_total{loop="a\"b\\c\nd"} 0"# + "\n"))
    // Each of these is one character.
    var joined = PrometheusText()
    joined.add("a\r\nb\"\u{301}", LoopMetrics())
    let lines = "\(joined)".unicodeScalars.split(separator: "\n").map { String($0) }
    #expect(lines.contains("looptransactions_ticks_total{loop=\"a\r\\nb\\\"\u{301}\"} 0"))
  }

  @Test("a text without loops is empty")  // X2
  func empty() { #expect("\(PrometheusText())".isEmpty) }

  @Test("the counters of a loop's ticks are in its text")  // X2
  func loop() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      loop.recordsLatencies = true
      loop.post { stepped.spend(.milliseconds(30)) }
      stepped.step()
      var text = PrometheusText()
      text.add("stepped", loop.metrics, loop.port.latencies)
      #expect("\(text)".contains("looptransactions_tick_busy_seconds_sum{loop=\"stepped\"} 0.03\n"))
    }
  }

  @Test("schedulers have metrics of their own, after the loops' metrics")  // X2
  func schedulers() {
    var (text, metrics) = (PrometheusText(), SchedulerMetrics())
    (metrics.queued, metrics.running, metrics.workers, metrics.awake) = (4, 3, 2, 1)
    (metrics.added, metrics.cancelled) = (9, 5)
    text.add("draw \"fast\"", metrics)
    // A loop may have the name of a scheduler.
    text.add("io", LoopMetrics())
    metrics.waits = [
      SchedulerMetrics.Wait(priority: .high, count: 2, total: 30_000_000, longest: 20_000_000),
      SchedulerMetrics.Wait(priority: .low, count: 1, total: 5_000_000, longest: 5_000_000),
    ]
    text.add("io", metrics)
    let name = "looptransactions_scheduler"
    let io = "scheduler=\"io\""
    #expect(
      lines(text, "\(name)_added") == [
        "\(name)_added_total{scheduler=\"draw \\\"fast\\\"\"} 9", "\(name)_added_total{\(io)} 9",
      ]
    )
    for (metric, value) in [
      ("cancelled_total", 5), ("queued", 4), ("running", 3), ("workers", 2), ("workers_awake", 1),
    ] {
      #expect("\(text)".contains("\(name)_\(metric){\(io)} \(value)\n"), "\(metric)")
    }
    #expect(
      lines(text, "\(name)_wait") == [
        "\(name)_wait_seconds_sum{\(io),priority=\"64\"} 0.03",
        "\(name)_wait_seconds_count{\(io),priority=\"64\"} 2",
        "\(name)_wait_seconds_sum{\(io),priority=\"-32\"} 0.005",
        "\(name)_wait_seconds_count{\(io),priority=\"-32\"} 1",
      ]
    )
    #expect("\(text)".contains("# TYPE \(name)_wait_seconds summary\n"))
    #expect(lines(text, "\(name)_longest").last?.hasSuffix("priority=\"-32\"} 0.005") == true)
    #expect(lines(text, "# HELP").filter { $0.contains("_scheduler_") }.count == 8)
    #expect(lines(text, "# HELP").last?.contains("longest_wait") == true)
  }

  @Test("the counters of a scheduler are in its text")  // X2, C6
  func scheduler() throws {
    try withSteppedLoop { stepped in
      let scheduler = SteppedScheduler(on: stepped).scheduler
      for _ in 0..<3 { scheduler.add { _ in } }
      stepped.runUntilIdle()
      scheduler.add { _ in }.cancel()
      var text = PrometheusText()
      text.add("stepped", scheduler.metrics)
      #expect(lines(text, "looptransactions_scheduler_added_total{").first?.hasSuffix(" 4") == true)
      #expect(!"\(text)".contains("_wait_"))
    }
  }

  @Test("two schedulers of one name trap")  // X2
  func sameScheduler() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var text = PrometheusText()
      for _ in 0..<2 { text.add("io", SchedulerMetrics()) }
    }
    #expect(said(result, "each scheduler needs a name of its own, but 'io' was added before"))
  }

  @Test("two loops of one name trap")  // X2
  func sameName() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var text = PrometheusText()
      for _ in 0..<2 { text.add("main", LoopMetrics()) }
    }
    #expect(said(result, "each loop needs a name of its own, but 'main' was added before"))
  }
}
