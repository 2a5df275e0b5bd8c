/// Measures contenders in rounds, and keeps what happened when.
///
/// ```swift
/// let trace = try Tracer(contenders: contenders, seed: 7).run(forNs: 2_000_000_000)
/// print(trace.render())
/// ```
public struct Tracer: Sendable {
  private let contenders: [Contender]
  private let seed: UInt64
  private let pace: Pace
  private let conditions: Conditions
  private let instruments: Instruments

  /// Past this a viewer takes its time: the trace ends with the slice.
  public static let mostEvents = 200_000

  /// Makes a tracer; nothing is measured yet.
  public init(
    contenders: [Contender],
    seed: UInt64,
    pace: Pace = .standard,
    conditions: Conditions = .standard,
    instruments: Instruments = .system
  ) {
    self.contenders = contenders
    self.seed = seed
    self.pace = pace
    self.conditions = conditions
    self.instruments = instruments
  }

  /// Measures rounds until one would begin after `time`; at least one.
  ///
  /// - Parameter isInterrupted: Asked before each slice; after `true` the trace
  ///   ends with what it has.
  /// - Throws: What the first contender says that can not be measured.
  public func run(
    forNs time: UInt64,
    isInterrupted: () -> Bool = { false }
  ) throws(PeerFailure) -> TraceFile {
    var trace = TraceFile()
    let began = instruments.now()
    var round = 1
    repeat {
      for contender in RoundOrder.shuffle.arranged(contenders, round: round, seed: seed) {
        guard !isInterrupted(), trace.count < Self.mostEvents else { return trace }
        try add(contender, round: round, to: &trace)
      }
      round += 1
    } while instruments.now() - began < time
    return trace
  }

  private func add(
    _ contender: Contender,
    round: Int,
    to trace: inout TraceFile
  ) throws(PeerFailure) {
    let began = instruments.now()
    let outcome = try contender.measure(
      round: round,
      seed: seed,
      pace: pace,
      conditions: conditions,
      isTraced: true,
      instruments: instruments
    )
    trace.add(outcome, round: round, began: began)
  }
}
