/// When one operation of an open-loop schedule was due, started and ended, in ns
/// on one clock.
public struct OpenLoopTiming: Equatable, Sendable {
  /// When the schedule wanted it.
  public let due: UInt64
  /// When it was started; never before it was due.
  public let start: UInt64
  /// When it was done.
  public let end: UInt64

  /// Makes a timing.
  ///
  /// - Precondition: `due`, `start` and `end` come in that order.
  public init(due: UInt64, start: UInt64, end: UInt64) {
    precondition(
      due <= start && start <= end,
      "OpenLoopTiming: due, start, end must be in order, got \(due), \(start), \(end)"
    )
    self.due = due
    self.start = start
    self.end = end
  }

  /// What somebody who came when it was due waited.
  public var intended: UInt64 { end - due }

  /// What it took once it was started.
  public var service: UInt64 { end - start }

  /// How far behind whoever starts operations was.
  public var lag: UInt64 { start - due }

  /// Whether it started more than one period late: the schedule was not kept.
  public func isMissed(period: UInt64) -> Bool { lag > period }
}

extension Slice {
  /// Records one operation: the intended time in the series itself, the others in
  /// the companions that are named. Counts it as missed if it was.
  public mutating func record(
    _ timing: OpenLoopTiming,
    period: UInt64,
    service: String? = nil,
    lag: String? = nil
  ) {
    record(nanoseconds: Double(timing.intended))
    if let service { record(nanoseconds: Double(timing.service), as: service) }
    if let lag { record(nanoseconds: Double(timing.lag), as: lag) }
    if timing.isMissed(period: period) { miss() }
  }
}
