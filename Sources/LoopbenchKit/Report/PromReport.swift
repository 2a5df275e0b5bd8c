private import LoopTransactions

/// Renders Prometheus' text format. Each peer in each series is a summary in
/// seconds.
package struct PromReport {
  let report: Report
  let quantiles: [Percentile]

  func render() -> String {
    (info + latencies + missed + ratios).joined(separator: "\n") + "\n"
  }

  private var info: [String] {
    let machine = report.machine
    let labels = report.labels.sorted { $0.key < $1.key }.map {
      ("label_" + Self.labelName($0.key), $0.value)
    }
    let facts = [
      ("version", report.tool.version), ("libuv", machine.libuv), ("swift", machine.swift),
      ("build", machine.build), ("cpu", machine.cpu), ("seed", String(report.seed)),
    ]
    return Self.head("loopbench_run_info", "gauge", "The program and the machine. Always 1.")
      + [Self.sample("loopbench_run_info", facts + labels, "1")]
  }

  private var latencies: [String] {
    let name = "loopbench_latency_seconds"
    return Self.head(name, "summary", "Latency by scenario, series and peer.")
      + report.results.flatMap { result in
        let labels = Self.labels(of: result)
        let sum = result.mean * Double(result.count)
        return quantiles.compactMap { percentile in
          let quantile = ("quantile", Decimals.exact(Double(percentile.thousandths) / 100_000))
          return result.value(at: percentile).map {
            Self.sample(name, labels + [quantile], Self.seconds($0))
          }
        } + [
          Self.sample(name + "_sum", labels, Self.seconds(sum)),
          Self.sample(name + "_count", labels, String(result.count)),
        ]
      }
  }

  private var missed: [String] {
    let name = "loopbench_missed_total"
    return Self.head(name, "counter", "Operations that were due but were not started.")
      + report.results.map { Self.sample(name, Self.labels(of: $0), String($0.missed)) }
  }

  private var ratios: [String] {
    let name = "loopbench_ratio"
    let help = "A peer's percentile divided by the reference's, median over the rounds."
    guard !report.comparisons.isEmpty else { return [] }
    return Self.head(name, "gauge", help)
      + report.comparisons.map { comparison in
        let labels = [
          ("scenario", comparison.scenario), ("series", comparison.series),
          ("peer", comparison.peer), ("reference", comparison.reference),
          ("percentile", comparison.percentile),
        ]
        return Self.sample(name, labels, Decimals.exact(comparison.ratio.median))
      }
  }
}

extension PromReport {
  private static func labels(of result: Report.Result) -> [(String, String)] {
    [("scenario", result.scenario), ("series", result.series), ("peer", result.peer)]
  }

  private static func head(_ name: String, _ type: String, _ help: String) -> [String] {
    ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"]
  }

  private static func sample(_ name: String, _ labels: [(String, String)], _ value: String)
    -> String
  {
    // The format escapes only backslash, quote and newline, so the label's value
    // contains the escape of another control character.
    let pairs = labels.map { name, value in
      "\(name)=\"\(value.escapingControls(except: "\n").escaped(with: escapes))\""
    }
    return "\(name){\(pairs.joined(separator: ","))} \(value)"
  }

  private static func seconds(_ nanoseconds: Double) -> String {
    Decimals.exact(nanoseconds / 1_000_000_000)
  }

  private static let escapes: [Unicode.Scalar: String] = [
    "\\": "\\\\", "\"": "\\\"", "\n": "\\n",
  ]

  /// Returns `key` with each character that a label name must not contain replaced
  /// by `_`.
  package static func labelName(_ key: String) -> String {
    String(key.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }
}
