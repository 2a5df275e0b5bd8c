import LoopTransactions
package import LoopTransactionsTesting
private import CLoopbench

/// One measurement of one peer in one series: the settings and the recorded samples.
///
/// Most peers pass a batch of operations to `sample(_:)`:
///
/// ```swift
/// slice.sample { operations in
///   let began = cl_now()
///   for _ in 0..<operations { loop.tick() }
///   return cl_now() - began
/// }
/// ```
public struct Slice: Sendable {
  /// The series to measure.
  public let series: String
  /// The number of operations and samples to measure.
  public let workload: Workload
  /// The CPUs of the threads. The calling thread is already on the loop's CPU.
  public let seats: Placement.Seats
  /// How often an open-loop series starts an operation.
  public let pace: Pace
  /// A source of random numbers, which are the same for every peer of the round.
  package var generator: SeededGenerator

  package private(set) var recorded: [String: Histogram] = [:]
  package private(set) var earlyFires = 0
  package private(set) var missed: UInt64 = 0
  package private(set) var counts: [String: UInt64] = [:]
  /// The recorded spans; `nil` unless the slice is traced.
  package private(set) var spans: [TraceSpan]?

  package init(
    series: String,
    workload: Workload,
    seats: Placement.Seats,
    pace: Pace = .standard,
    isTraced: Bool = false,
    generator: SeededGenerator
  ) {
    self.series = series
    self.workload = workload
    self.seats = seats
    self.pace = pace
    spans = isTraced ? [] : nil
    self.generator = generator
  }
}

extension Slice {
  /// Returns a random number from 0 up to, but not including, `bound`.
  ///
  /// All slices of a series in one round get the same numbers. Runs with the same
  /// seed get the same numbers too.
  public mutating func random(below bound: UInt64) -> UInt64 { generator.number(below: bound) }

  /// Records one sample, in ns.
  ///
  /// - Parameter companion: The name of a companion series to record the sample
  ///   in; `nil` for the slice's own series.
  public mutating func record(nanoseconds: Double, as companion: String? = nil) {
    recorded[companion ?? series, default: Histogram()].record(nanoseconds: nanoseconds)
  }

  /// Records the lateness of a timer, in ns. A negative value is counted as an
  /// early fire and recorded as 0.
  public mutating func record(lateness: Int64) {
    if lateness < 0 { earlyFires += 1 }
    record(nanoseconds: Double(max(0, lateness)))
  }

  /// Counts operations that started too late or not at all.
  public mutating func miss(_ operations: UInt64 = 1) { missed += operations }

  /// Adds `things` to the count `name`, such as "ticks". Reports show counts in
  /// addition to times.
  public mutating func count(_ things: UInt64, as name: String) {
    counts[name, default: 0] += things
  }

  /// Runs the warm-up batches, then runs the other batches and records the mean
  /// time per operation of each.
  ///
  /// - Parameter batch: Performs the given number of operations and returns the
  ///   time in ns that they took.
  public mutating func sample<Failure>(
    _ batch: (_ operations: Int) throws(Failure) -> UInt64
  ) throws(Failure) {
    for _ in 0..<workload.warmUps { _ = try batch(workload.operations) }
    for _ in 0..<workload.samples {
      let began = isTraced ? cl_now() : 0
      record(nanoseconds: Double(try batch(workload.operations)) / Double(workload.operations))
      if isTraced { note("batch of \(workload.operations)", on: .loop, from: began, to: cl_now()) }
    }
  }

  /// Measures `peer` in another of its series, with this slice's workload, and records
  /// the samples here.
  mutating func record(_ peer: any Peer, in other: String) throws(PeerError) {
    var inner = Slice(
      series: other,
      workload: workload,
      seats: seats,
      pace: pace,
      generator: generator
    )
    try peer.measure(&inner)
    recorded[series] = inner.recorded[other]
  }

  /// The failure to throw for a series that the peer does not measure.
  public var unknownSeries: PeerError {
    PeerError("this peer does not measure the series \"\(series)\"")
  }
}

extension Slice {
  /// Whether spans are recorded.
  package var isTraced: Bool { spans != nil }

  /// Records a span if the slice is traced.
  package mutating func note(
    _ name: String,
    on track: TraceSpan.Track,
    from began: UInt64,
    to ended: UInt64
  ) {
    spans?.append(TraceSpan(name: name, track: track, began: began, ended: max(began, ended)))
  }
}

/// The numbers of operations and samples that one slice of a series measures. They
/// are the same for every peer.
public struct Workload: Equatable, Sendable {
  /// The number of batches that run first and are not recorded.
  public let warmUps: Int
  /// The number of recorded samples.
  public internal(set) var samples: Int
  /// The number of operations in one sample. A sample is the mean of their times.
  public let operations: Int

  /// Makes a workload.
  ///
  /// - Precondition: `samples` and `operations` are at least 1.
  public init(warmUps: Int, samples: Int, operations: Int) {
    require(
      warmUps >= 0 && samples > 0 && operations > 0,
      "Workload: samples and operations must be at least 1, got \(samples) and \(operations)"
    )
    self.warmUps = warmUps
    self.samples = samples
    self.operations = operations
  }
}

/// A span of time in a trace.
package struct TraceSpan: Equatable, Sendable {
  package let name: String
  package let track: Track
  /// The start, in ns of the monotonic clock.
  package let began: UInt64
  /// The end, in ns of the monotonic clock. Never before `began`.
  package let ended: UInt64

  /// The row of a slice that shows a span.
  package enum Track: String, CaseIterable, Sendable {
    case loop
    case producer
    /// The loop's ticks, if the peer records them.
    case ticks
  }
}
