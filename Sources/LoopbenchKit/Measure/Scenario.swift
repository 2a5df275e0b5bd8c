/// A kind of work to measure, with one or more series.
public struct Scenario: Sendable {
  /// The name on the command line and in reports: `wake`.
  public let name: String
  /// A one-line description of the measured work.
  public let summary: String
  /// The series, in display order.
  public internal(set) var series: [Series]
  /// The names of the peers that other peers are compared with. Reports show the
  /// comparison with the first reference in full.
  public let references: [String]
  /// The names of the peers that do the work without a loop, as the least that it can
  /// cost. Reports do not judge them.
  public let floors: [String]
  /// The additional columns of the scenario's tables.
  public let extras: Set<Extra>
  /// A plain-text description, with a drawing, of where each measured time starts
  /// and ends.
  public let details: String
  /// Whether a run that names no scenarios measures this scenario.
  public let isStandard: Bool
  /// Additional figures for each peer, in display order.
  public let figures: [Figure]
  /// The time in ns that the first slice of a run takes in addition, such as for a
  /// calibration.
  public let preparationNs: UInt64

  /// A column that only some scenarios have.
  public enum Extra: String, Codable, CaseIterable, Sendable {
    /// The difference from the first reference, in ns.
    case difference
    /// CPU time divided by wall time: 2 means that two CPUs were busy.
    case processorUse
  }

  /// Makes a scenario.
  public init(
    name: String,
    summary: String,
    series: [Series],
    references: [String] = ["uv"],
    floors: [String] = [],
    extras: Set<Extra> = [],
    details: String = "",
    isStandard: Bool = true,
    figures: [Figure] = [],
    preparationNs: UInt64 = 0
  ) {
    self.figures = figures
    self.preparationNs = preparationNs
    self.name = name
    self.summary = summary
    self.series = series
    self.references = references
    self.floors = floors
    self.extras = extras
    self.details = details
    self.isStandard = isStandard
  }
}

/// One measured quantity of a scenario, in ns.
public struct Series: Sendable {
  /// The name in reports: `typed.across`.
  public let name: String
  /// One line that describes the start and end of the measured time and the number
  /// of operations.
  public let summary: String
  /// The number of operations and samples that one slice measures.
  public internal(set) var workload: Workload
  /// The placement of the series' threads.
  public let placement: Placement.Rule
  /// The meaning of its samples.
  public let kind: Kind
  /// The other series whose slices also record this series; `nil` if this series
  /// has its own slices.
  public let companionOf: String?
  /// Whether a run that names no series measures this series.
  public let isStandard: Bool
  /// The time of an operation in ns, if a clock determines it. A run then knows before it
  /// measures how long a slice takes. `nil` if it depends on the peer.
  public let operationNs: UInt64?

  /// The meaning of a sample.
  public enum Kind: String, Codable, CaseIterable, Sendable {
    /// The mean time of a batch of operations.
    case mean
    /// The time from the start of an operation to its end.
    case service
    /// The time from an operation's due time in an open loop to its end, which is
    /// the latency that a client would see.
    case intended
    /// The time from an operation's due time to its start, which is the lateness of
    /// the producer itself.
    case lag
  }

  /// Makes a series with its own slices.
  public init(
    name: String,
    summary: String,
    workload: Workload,
    placement: Placement.Rule = .loop,
    kind: Kind = .mean,
    isStandard: Bool = true,
    operationNs: UInt64? = nil
  ) {
    self.name = name
    self.summary = summary
    self.workload = workload
    self.placement = placement
    self.kind = kind
    self.isStandard = isStandard
    self.operationNs = operationNs
    companionOf = nil
  }

  /// Makes a series that is recorded while `other` is measured.
  public init(name: String, summary: String, recordedWith other: Series, kind: Kind? = nil) {
    self.name = name
    self.summary = summary
    workload = other.workload
    placement = other.placement
    self.kind = kind ?? other.kind
    isStandard = other.isStandard
    operationNs = other.operationNs
    companionOf = other.name
  }
}

/// A number that a scenario reports for each peer in addition to the times: a share, a
/// count, or a percentile of another series.
///
/// The text report has a separate table of figures. In the JSON a figure is a key of the
/// peer's result.
///
/// ```swift
/// Figure("blankRatio", title: "blank %", scale: 100) {
///   $0.ratio("blank", of: "seen")
/// }
/// ```
public struct Figure: Sendable {
  /// The key in the JSON. It must differ from the other keys of a result.
  public let name: String
  /// The column's title.
  public let title: String
  /// The explanation of the column, which the text report prints below the tables.
  /// Empty if there is none.
  public let summary: String
  /// The factor that the table applies: 100 for a percentage.
  public let scale: Double
  /// The number of decimal places in the table.
  public let digits: Int
  /// Computes the number. Returns `nil` if there are no data for it.
  public let value: @Sendable (Evidence) -> Double?

  /// Makes a figure.
  public init(
    _ name: String,
    title: String,
    summary: String = "",
    scale: Double = 1,
    digits: Int = 0,
    value: @escaping @Sendable (Evidence) -> Double?
  ) {
    self.name = name
    self.title = title
    self.summary = summary
    self.scale = scale
    self.digits = digits
    self.value = value
  }

  /// The counts and samples of a peer in a series over all rounds. The figures are
  /// computed from them.
  public struct Evidence: Sendable {
    /// The name of the series.
    public let series: String
    /// The number of rounds.
    public let rounds: Int
    /// The counts over all rounds.
    public let counts: [String: UInt64]
    // The samples of this series and of its companions, by name.
    let histograms: [String: Histogram]

    /// Returns one count divided by another; `nil` unless both counts exist.
    public func ratio(_ part: String, of whole: String) -> Double? {
      guard let part = counts[part], let whole = counts[whole], whole > 0 else { return nil }
      return Double(part) / Double(whole)
    }

    /// Returns a count divided by the number of rounds.
    public func perRound(_ name: String) -> Double? {
      counts[name].map { Double($0) / Double(max(1, rounds)) }
    }

    /// Returns a percentile of the series or of its `companion`, in ns; `nil`
    /// if there are too few samples.
    public func value(at percentile: Percentile, of companion: String? = nil) -> Double? {
      let name = companion.map { "\(series).\($0)" } ?? series
      guard let histogram = histograms[name], percentile.isResolved(by: histogram.count) else {
        return nil
      }
      return histogram.value(at: percentile)
    }

    /// Returns the largest sample of the series or of its `companion`, in ns; `nil`
    /// if there is no sample.
    public func largest(of companion: String? = nil) -> Double? {
      guard let histogram = histograms[companion.map { "\(series).\($0)" } ?? series] else {
        return nil
      }
      return histogram.count > 0 ? histogram.max : nil
    }

    /// Returns the mean of the largest samples, in ns. `part` is the share of all
    /// samples to include: 0.01 is 1 %.
    public func meanOfLargest(_ part: Double) -> Double? {
      histograms[series]?.meanOfLargest(part)
    }
  }
}

/// The number at the end of the name of a series whose cost is measured for several
/// sizes: 100,000 in `posts.100k`.
package struct Size: Equatable, Sendable {
  /// The number.
  package let count: Int
  /// The name of the series without the number: `posts`.
  package let kind: String

  /// Reads the name of a series. Returns `nil` if it does not end with a dot and a
  /// size.
  package init?(of series: String) {
    guard let dot = series.lastIndex(of: ".") else { return nil }
    var text = series[series.index(after: dot)...]
    let isThousands = text.last == "k"
    if isThousands { text.removeLast() }
    guard let number = Int(text), number > 0, text.allSatisfy(\.isNumber) else { return nil }
    count = number * (isThousands ? 1000 : 1)
    kind = String(series[..<dot])
  }

  /// The name of the series of `kind` with this size.
  static func name(_ kind: String, _ count: Int) -> String { "\(kind).\(text(count))" }

  /// The size as the name has it: 100 and 100k.
  static func text(_ count: Int) -> String {
    count >= 1000 && count % 1000 == 0 ? "\(count / 1000)k" : "\(count)"
  }
}
