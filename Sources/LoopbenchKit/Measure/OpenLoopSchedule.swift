private import CLoopbench

/// When operations are due that wait for nobody: the next one is due whether or
/// not the last one has ended.
///
/// A caller starts each operation when it is due, or at once if that has passed,
/// and records an `OpenLoopTiming` of it. One that is late is started all the
/// same: those who came during a stall are the ones who waited.
///
/// ```swift
/// var schedule = OpenLoopSchedule(
///   first: cl_now() + 1_000_000, period: 1_000_000, generator: slice.generator)
/// let due = schedule.next()
/// ```
public struct OpenLoopSchedule: Sendable {
  /// How far two due times are apart.
  public enum Arrival: String, Codable, CaseIterable, Sendable {
    /// Always one period.
    case const
    /// Random, one period on average: as from many callers who do not know of
    /// each other.
    case poisson
  }

  /// From one operation to the next, on average, in ns.
  public let period: UInt64
  /// How far two due times are apart.
  public let arrival: Arrival

  private let first: UInt64
  private var generator: SeededGenerator
  private var count: UInt64 = 0
  private var waited = 0.0

  /// Makes a schedule whose first operation is due at `first`, in ns.
  ///
  /// - Precondition: `period` is not 0.
  public init(
    first: UInt64,
    period: UInt64,
    arrival: Arrival = .const,
    generator: SeededGenerator
  ) {
    precondition(period > 0, "OpenLoopSchedule: the period must be above 0")
    self.first = first
    self.period = period
    self.arrival = arrival
    self.generator = generator
  }

  /// When the next operation is due, in ns.
  public mutating func next() -> UInt64 {
    defer { advance() }
    return first + (arrival == .const ? count * period : UInt64(waited))
  }

  private mutating func advance() {
    count += 1
    guard arrival == .poisson else { return }
    // Above 0 and at most 1: the logarithm is finite.
    let uniform = (Double(generator.next() >> 11) + 1) * 0x1p-53
    waited -= cl_logarithm(uniform) * Double(period)
  }
}
