package import LoopTransactionsTesting
private import CLoopbench

/// One peer's turn at one series in one round: what to do, and where to record.
///
/// Unless a peer measures the time itself, it hands a batch to `sample(_:)`:
///
/// ```swift
/// slice.sample { operations in
///   let began = cl_now()
///   for _ in 0..<operations { loop.tick() }
///   return cl_now() - began
/// }
/// ```
public struct Slice: Sendable {
  /// The series to measure, one of those the peer named.
  public let series: String
  /// How much of it.
  public let effort: Effort
  /// Where the threads belong. The caller is on the loop's CPU already.
  public let seats: Placement.Seats
  /// How often an open-loop series starts an operation.
  public let pace: Pace
  /// What the machine was asked for beside its default.
  public let conditions: RunConditions
  /// Random numbers, the same for every peer of the round.
  package var generator: SeededGenerator

  package private(set) var recorded: [String: Histogram] = [:]
  package private(set) var earlyFires = 0
  package private(set) var missed: UInt64 = 0
  package private(set) var counts: [String: UInt64] = [:]
  /// What happened when; `nil` unless it is traced.
  package private(set) var spans: [TraceSpan]?

  package init(
    series: String,
    effort: Effort,
    seats: Placement.Seats,
    pace: Pace = .standard,
    conditions: RunConditions = .standard,
    isTraced: Bool = false,
    generator: SeededGenerator
  ) {
    self.series = series
    self.effort = effort
    self.seats = seats
    self.pace = pace
    self.conditions = conditions
    spans = isTraced ? [] : nil
    self.generator = generator
  }
}

extension Slice {
  /// A random number from 0 up to `bound`. The slices of one round have the same, and
  /// a run of the same seed has them again.
  public mutating func random(below bound: UInt64) -> UInt64 { generator.number(below: bound) }

  /// Records one sample, in ns. `companion` names another series that the
  /// scenario says is measured along with this one.
  public mutating func record(nanoseconds: Double, as companion: String? = nil) {
    recorded[companion ?? series, default: Histogram()].record(nanoseconds: nanoseconds)
  }

  /// Records how late something fired, in ns. A negative value is counted as an
  /// early fire, and recorded as 0.
  public mutating func record(lateness: Int64) {
    if lateness < 0 { earlyFires += 1 }
    record(nanoseconds: Double(max(0, lateness)))
  }

  /// Counts operations that started more than a period after they were due, or
  /// not at all.
  public mutating func miss(_ operations: UInt64 = 1) { missed += operations }

  /// Counts things that a report should state beside the times: "ticks".
  public mutating func count(_ things: UInt64, as name: String) {
    counts[name, default: 0] += things
  }

  /// Runs the warm-up batches, then records each batch's time over its count.
  ///
  /// - Parameter batch: Told how many operations to do; returns the ns they took.
  public mutating func sample<Failure>(
    _ batch: (_ operations: Int) throws(Failure) -> UInt64
  ) throws(Failure) {
    for _ in 0..<effort.warmUps { _ = try batch(effort.operations) }
    for _ in 0..<effort.samples {
      let began = isTraced ? cl_now() : 0
      record(nanoseconds: Double(try batch(effort.operations)) / Double(effort.operations))
      if isTraced { note("batch of \(effort.operations)", on: .loop, from: began, to: cl_now()) }
    }
  }

  /// What a peer throws for a series it does not have.
  public var unknownSeries: PeerFailure {
    PeerFailure("there is no series \"\(series)\" in this peer")
  }
}

extension Slice {
  /// Whether spans are kept.
  package var isTraced: Bool { spans != nil }

  /// Keeps a span for the trace, if there is one.
  package mutating func note(
    _ name: String,
    on track: TraceSpan.Track,
    from began: UInt64,
    to ended: UInt64
  ) {
    spans?.append(TraceSpan(name: name, track: track, began: began, ended: max(began, ended)))
  }
}

/// How much of a series is measured in one slice, the same for every peer.
public struct Effort: Equatable, Sendable {
  /// Batches that run before, and are not recorded.
  public let warmUps: Int
  /// Samples that are recorded.
  public internal(set) var samples: Int
  /// Operations in one sample; the sample is their mean when there are several.
  public let operations: Int

  /// Makes an effort.
  ///
  /// - Precondition: `samples` and `operations` are at least 1.
  public init(warmUps: Int, samples: Int, operations: Int) {
    precondition(
      warmUps >= 0 && samples > 0 && operations > 0,
      "Effort: samples and operations must be at least 1"
    )
    self.warmUps = warmUps
    self.samples = samples
    self.operations = operations
  }
}

/// Something that took a while, for a time line.
package struct TraceSpan: Equatable, Sendable {
  /// What it was.
  package let name: String
  /// Whose it was.
  package let track: Track
  /// In ns, on the monotonic clock.
  package let began: UInt64
  /// Never before `began`.
  package let ended: UInt64

  /// A thread of a slice.
  package enum Track: String, CaseIterable, Sendable {
    case loop
    case producer
    /// The loop's ticks, where a peer tells them.
    case ticks
  }
}
