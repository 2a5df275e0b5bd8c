/// A question that a person has about a loop, and the series that answers it.
package struct Question: Equatable, Sendable {
  /// `wake/across`.
  package let path: String
  /// The beginning of the row: `A timer fires late by`.
  package let text: String
  /// The subject of the finding, in the plural. Also the row of a narrow screen.
  package let subject: String
  package let kind: Kind
  /// The number of samples per round. Nil means the series' own.
  package let samples: Int?
  /// Whether the answer is the difference from libuv.
  package let isDifference: Bool

  private init(
    _ path: String,
    _ text: String,
    about subject: String,
    _ kind: Kind,
    samples: Int? = nil,
    isDifference: Bool = false
  ) {
    (self.path, self.text, self.subject, self.kind) = (path, text, subject, kind)
    (self.samples, self.isDifference) = (samples, isDifference)
  }

  /// The words for a better or worse time.
  package enum Kind: Equatable, Sendable {
    case latency
    case cost
  }

  /// The peer that answers.
  package static let peer = "lt"
  /// The peer that it is compared with.
  package static let reference = "uv"

  package var scenario: String { String(path.prefix { $0 != "/" }) }
  package var series: String { String(path.dropFirst(scenario.count + 1)) }
}

extension Question {
  /// The questions of the default run.
  package static let standard: [Question] = [
    Question("timer/lateness", "A timer fires late by", about: "timers", .latency),
    Question("wake/across", "A wake from another thread takes", about: "wakes", .latency),
    Question("wake/same", "  on one CPU", about: "wakes on one CPU", .latency),
    // 12: at 10 rounds there are 120 samples, enough for the worst 1 %.
    Question("post/closure.across", "A post costs", about: "posts", .cost, samples: 12),
    Question("commit/duplicate", "A duplicate commit costs", about: "duplicate commits", .cost),
    Question("idle/tick", "An idle tick adds", about: "idle ticks", .cost, isDifference: true),
  ]

  /// The standard questions, if `registry` has all of their series. Otherwise none.
  package static func answerable(by registry: Registry) -> [Question] {
    let isWhole = standard.allSatisfy { question in
      registry.scenarios.contains { scenario in
        scenario.name == question.scenario
          && scenario.series.contains { $0.name == question.series }
      }
    }
    return isWhole ? standard : []
  }
}

extension Registry {
  /// Returns the registry with the number of samples that each question needs.
  package func answering(_ questions: [Question]) -> Registry {
    var scenarios = scenarios
    for question in questions {
      guard let samples = question.samples,
        let scenario = scenarios.firstIndex(where: { $0.name == question.scenario }),
        let series = scenarios[scenario].series.firstIndex(where: { $0.name == question.series })
      else { continue }
      scenarios[scenario].series[series].workload.samples = samples
    }
    return Registry(scenarios: scenarios, peers: peers)
  }
}

extension Question {
  /// The verdict in the words of the question: `sooner`, `dearer`, `same`.
  func word(for verdict: ComparisonVerdict) -> String {
    switch (verdict, kind) {
    case (.faster, .latency): "sooner"
    case (.faster, .cost): "cheaper"
    case (.slower, .latency): "later"
    case (.slower, .cost): "dearer"
    case (.same, _): "same"
    case (.inconclusive, _): "unsure"
    case (.floor, _): verdict.rawValue
    }
  }
}

/// The answer to a question, from a report.
package struct Answer {
  package let question: Question
  /// The answer of the typical operation in ns. Nil if it was not measured.
  package let typical: Double?
  /// The time in ns that 1 % of the operations exceed. Nil if there are too few
  /// samples. Never below `typical`.
  package let worst: Double?
  /// The same of libuv. Nil for a difference, which is not comparable with libuv's own
  /// time.
  let libuv: (typical: Double?, worst: Double?)
  /// The comparison with libuv.
  let comparison: Report.Comparison?
  let tail: Tail?
  let noise: Report.Noise?
  let samples: UInt64

  init(_ question: Question, in report: Report, tails: [Tail]) {
    let results = report.results.filter {
      ($0.scenario, $0.series) == (question.scenario, question.series)
    }
    let own = results.first { $0.peer == Question.peer }
    let other = results.first { $0.peer == Question.reference }
    comparison = report.comparisons.first {
      ($0.scenario, $0.series, $0.peer, $0.reference, $0.percentile)
        == (
          question.scenario, question.series, Question.peer, Question.reference,
          Percentile.p50.label
        )
    }
    let (median, p99) = (own?.value(at: .p50), own?.value(at: .p99))
    if question.isDifference {
      // libuv's median is the base of both. The p99 of libuv is an unrelated tick.
      let base = other?.value(at: .p50)
      func above(_ value: Double?) -> Double? { value.flatMap { value in base.map { value - $0 } } }
      let typical = median == nil ? nil : comparison?.difference.median ?? above(median)
      self.typical = typical
      worst = above(p99).map { max($0, typical ?? $0) }
      libuv = (nil, nil)
    } else {
      (typical, worst) = (median, p99)
      libuv = (other?.value(at: .p50), other?.value(at: .p99))
    }
    self.question = question
    tail = tails.first { $0.path == question.path }
    noise = report.noise(in: question.scenario, question.series)
    samples = own?.count ?? 0
  }
}

extension Answer {
  /// The judgement in the words of the question: `sooner`. Nil if it was not measured.
  var word: String? { comparison.map { question.word(for: $0.verdict) } }

  /// The judgement with its factor: `17x sooner`.
  var verdict: String {
    guard isMeasured else { return "not measured" }
    guard let comparison, let word else { return "not compared" }
    guard [.faster, .slower].contains(comparison.verdict), comparison.ratio.median > 0 else {
      return word
    }
    return "\(Self.factor(comparison.ratio.median))x \(word)"
  }

  var isMeasured: Bool { typical != nil }

  private static func factor(_ ratio: Double) -> String {
    let factor = max(ratio, 1 / ratio)
    return Decimals.text(factor, digits: factor < 1.1 ? 2 : factor < 9.95 ? 1 : 0)
  }

  /// The reason for a verdict that the factor does not explain, and a tail that is worse
  /// than the verdict says.
  func reason(showsInterval: Bool = true) -> String? {
    let parts = [verdictReason(showsInterval), tailReason].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  private func verdictReason(_ showsInterval: Bool) -> String? {
    guard let comparison, let word,
      let reason = comparison.reason(noise, libuv: true, showsInterval: showsInterval)
    else { return nil }
    return word + (comparison.verdict == .same ? ", " : ": ") + reason
  }

  /// A tail that is worse than the verdict says: `but the worst 1 % is 5.0x later`.
  var tailReason: String? {
    guard let tail, tail.verdict == .slower, comparison?.verdict != .slower else { return nil }
    return "but the worst 1 % is \(Self.factor(tail.ratio))x \(question.word(for: .slower))"
  }

  /// A bar to the left of an axis if the time is less than libuv's, otherwise to the
  /// right. Each side has `cells` characters, which represent a factor of 32.
  func bar(cells: Int, isASCII: Bool) -> String {
    let (full, axis) = isASCII ? ("#", "|") : ("█", "│")
    let empty = String(repeating: " ", count: cells)
    guard let comparison, [.faster, .slower].contains(comparison.verdict) else {
      return empty + axis + empty
    }
    let isLess = comparison.verdict == .faster
    let distance = abs(Logarithm.binary(max(comparison.ratio.median, 1 / 32)))
    let halves = max(1, Int((min(distance, 5) / 5 * Double(cells) * 2).rounded()))
    let half = halves % 2 == 0 ? "" : isASCII ? "-" : isLess ? "▐" : "▌"
    let bar = String(repeating: full, count: halves / 2)
    return isLess
      ? (half + bar).padded(to: cells) + axis + empty
      : empty + axis + (bar + half).padded(to: cells, isLeft: true)
  }
}
