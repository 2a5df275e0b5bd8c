/// The metrics of loops and schedulers in the text format of Prometheus, version
/// 0.0.4.
///
/// Every sample has the label `loop` or `scheduler`. Times are in seconds. `busy`
/// and `idle` are left out if a loop did not measure them, and histograms if it
/// did not record latencies. The buckets are 1, 2.5 and 5 times each power of
/// ten, from 1 us to 10 s. Latencies within 0.8 % of a bucket's limit may be
/// counted on either side.
///
/// ```swift
/// var text = PrometheusText()
/// for thread in group.threads {
///   text.add(thread.name, thread.port.metrics, thread.port.latencies)
/// }
/// reply(with: text.description, type: PrometheusText.contentType)
/// ```
///
/// A value: create and use it on any thread.
public struct PrometheusText: Sendable {
  /// The media type of the format, for the header `Content-Type`.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private struct Loop {
    let name: String
    let metrics: LoopMetrics
    let latencies: LoopLatencies?
  }

  /// A value of a metric.
  struct Sample {
    var suffix = ""
    // With a comma before each.
    var labels = ""
    let value: String
  }

  /// A metric of an object that is not a loop.
  struct Metric {
    let name: String
    let type: String
    let help: String
    let samples: [Sample]
  }

  private var loops: [Loop] = []
  private var others: [(label: String, metrics: [Metric])] = []

  /// Creates a text without metrics.
  public init() {}

  /// Adds a loop, or a group of loops with combined metrics.
  ///
  /// - Parameters:
  ///   - name: The value of the label `loop`.
  ///   - metrics: From `LoopPort.metrics` or `LoopGroup.metrics`.
  ///   - latencies: From `LoopPort.latencies` or `LoopGroup.latencies`.
  /// - Precondition: No loop of this name was added before.
  /// - Complexity: O(n) in the loops added before.
  public mutating func add(
    _ name: String,
    _ metrics: LoopMetrics,
    _ latencies: LoopLatencies? = nil
  ) {
    require(
      !loops.contains { $0.name == name },
      "PrometheusText.add: each loop needs a name of its own, but '\(name)' was added before"
    )
    loops.append(Loop(name: name, metrics: metrics, latencies: latencies))
  }

  /// Adds the metrics of the object `name`. The label of its samples is `kind`.
  mutating func add(_ metrics: [Metric], of kind: String, name: String) {
    let label = Self.label(kind, value: name)
    require(
      !others.contains { $0.label == label },
      "PrometheusText.add: each \(kind) needs a name of its own, but '\(name)' was added before"
    )
    others.append((label, metrics))
  }

  // Computed, because key paths are not Sendable.
  private static var counters: [(name: String, help: String, KeyPath<LoopMetrics, UInt64>)] {
    [
      ("ticks", "Ticks begun.", \.ticks),
      ("flushes", "Flush periods.", \.flushes),
      ("transactions_performed", "Transactions performed.", \.performed),
      ("transactions_coalesced", "Commits that joined a pending transaction.", \.coalesced),
      ("transactions_dead", "Transactions whose target died before.", \.dead),
      ("transactions_cancelled", "Transactions cancelled.", \.cancelled),
      ("posts", "Posts that have run.", \.posts),
      ("elements_delivered", "Elements delivered by queues.", \.delivered),
      ("carried_over", "Flushes that left work to the next tick.", \.carriedOver),
      ("wakes_sent", "Kernel writes that woke the loop.", \.wakesSent),
      ("wakes_received", "Wakes received.", \.wakesReceived),
      ("wakes_needed", "Wakes received that brought work.", \.wakesNeeded),
    ]
  }

  private static var gauges: [(name: String, help: String, KeyPath<LoopMetrics, UInt64>)] {
    [
      ("pending_transactions", "Transactions pending.", \.pendingTransactions),
      ("pending_posts", "Posts received and not run yet.", \.pendingPosts),
      ("pending_elements", "Elements waiting in queues.", \.pendingElements),
    ]
  }

  private static var times:
    [(name: String, type: String, help: String, KeyPath<LoopMetrics, Duration>)]
  {
    [
      ("busy_seconds_total", "counter", "Time spent on everything except waiting.", \.busy),
      ("idle_seconds_total", "counter", "Time spent waiting for events.", \.idle),
      ("longest_tick_seconds", "gauge", "Longest time between two waits.", \.longestTick),
    ]
  }

  private static var histograms:
    [(name: String, help: String, KeyPath<LoopLatencies, LatencyHistogram>)]
  {
    [
      ("wake_lateness_seconds", "Lateness of the causes of ticks.", \.wakeLateness),
      ("tick_busy_seconds", "Time from the poll's return to the next poll.", \.busy),
      (
        "poll_to_callback_seconds", "Time from the poll's return to a tick's last callback.",
        \.pollToCallback
      ),
    ]
  }

  // In nanoseconds.
  private static let bounds: [Int64] = {
    let powers = sequence(first: Int64(1000)) { $0 < 1_000_000_000 ? $0 * 10 : nil }
    return powers.flatMap { [$0, $0 * 5 / 2, $0 * 5] } + [10_000_000_000]
  }()
}

extension PrometheusText: CustomStringConvertible {
  /// The text. Empty if nothing was added.
  ///
  /// - Complexity: O(n) in the loops and schedulers; each histogram takes about
  ///   50,000 steps.
  public var description: String {
    var text = ""
    for (name, help, value) in Self.counters {
      append("\(name)_total", type: "counter", help: help, to: &text) {
        [Sample(value: "\($0.metrics[keyPath: value])")]
      }
    }
    for (name, help, value) in Self.gauges {
      append(name, type: "gauge", help: help, to: &text) {
        [Sample(value: "\($0.metrics[keyPath: value])")]
      }
    }
    for (name, type, help, value) in Self.times {
      append(name, type: type, help: help, to: &text) { loop in
        guard loop.metrics.busy + loop.metrics.idle > .zero else { return [] }
        return [Sample(value: Self.seconds(loop.metrics[keyPath: value]))]
      }
    }
    for (name, help, histogram) in Self.histograms {
      append(name, type: "histogram", help: help, to: &text) { loop in
        loop.latencies.map { Self.samples(of: $0[keyPath: histogram]) } ?? []
      }
    }
    appendOthers(to: &text)
    return text
  }

  /// Appends the metrics of all other objects, each metric once.
  private func appendOthers(to text: inout String) {
    var seen: Set<String> = []
    for metric in others.flatMap(\.metrics) where seen.insert(metric.name).inserted {
      let lines = others.flatMap { label, metrics in
        metrics.filter { $0.name == metric.name }
          .flatMap { $0.samples.map { Self.line(of: metric.name, label: label, $0) } }
      }
      Self.append(
        metric.name,
        type: metric.type,
        help: metric.help,
        lines: lines.joined(),
        to: &text
      )
    }
  }

  /// Appends a metric of the loops, unless no loop has samples of it.
  private func append(
    _ name: String,
    type: String,
    help: String,
    to text: inout String,
    _ samples: (Loop) -> [Sample]
  ) {
    var lines = ""
    for loop in loops {
      let label = Self.label("loop", value: loop.name)
      for sample in samples(loop) { lines += Self.line(of: name, label: label, sample) }
    }
    Self.append(name, type: type, help: help, lines: lines, to: &text)
  }

  private static func append(
    _ name: String,
    type: String,
    help: String,
    lines: String,
    to text: inout String
  ) {
    if lines.isEmpty { return }
    let name = "looptransactions_\(name)"
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n\(lines)"
  }

  private static func line(of name: String, label: String, _ sample: Sample) -> String {
    "looptransactions_\(name)\(sample.suffix){\(label)\(sample.labels)} \(sample.value)\n"
  }

  private static func label(_ kind: String, value: String) -> String {
    "\(kind)=\"\(escaped(value))\""
  }

  private static func samples(of histogram: LatencyHistogram) -> [Sample] {
    let buckets = bounds.map { bound in
      let limit = Duration.nanoseconds(bound)
      let count = histogram.count(atMost: limit)
      return Sample(suffix: "_bucket", labels: ",le=\"\(seconds(limit))\"", value: "\(count)")
    }
    return buckets + [
      Sample(suffix: "_bucket", labels: ",le=\"+Inf\"", value: "\(histogram.count)"),
      Sample(suffix: "_sum", value: seconds(histogram.sum)),
      Sample(suffix: "_count", value: "\(histogram.count)"),
    ]
  }

  /// The time in seconds, as the format writes it.
  static func seconds(_ duration: Duration) -> String {
    let text = "\(duration / .seconds(1))"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  // The format's escapes in a label.
  private static func escaped(_ name: String) -> String {
    // Scalars, because a character may be a line feed together with others.
    name.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
