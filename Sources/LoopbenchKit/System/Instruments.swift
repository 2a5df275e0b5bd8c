private import CLoopbench

/// The clock and the resource counters of a run. Tests provide their own.
package struct Instruments: Sendable {
  /// Returns the ns of a monotonic clock.
  package var now: @Sendable () -> UInt64 = { cl_now() }
  /// Returns the resources that the process has used.
  package var usage: @Sendable () -> ResourceUse = {
    let usage = cl_usage_now()
    var use = ResourceUse()
    use.cpuNs = usage.cpu_ns
    (use.voluntarySwitches, use.involuntarySwitches) = (usage.voluntary, usage.involuntary)
    (use.stealNs, use.migrations) = (usage.steal_ns, usage.migrations)
    return use
  }

  /// Makes instruments that read the monotonic clock, `getrusage`, and the
  /// kernel's counters of steal and migrations.
  package init() {}

  package static let system = Instruments()
}

/// The resources that the process has used.
package struct ResourceUse: Equatable, Sendable {
  /// User and system time of all threads, in ns.
  package var cpuNs: UInt64 = 0
  /// The number of context switches because a thread slept.
  package var voluntarySwitches: UInt64 = 0
  /// The number of context switches because a thread was preempted.
  package var involuntarySwitches: UInt64 = 0
  /// The time for which the host gave the machine's CPUs to other guests, in ns; 0
  /// if unknown.
  package var stealNs: UInt64 = 0
  /// The number of times that a thread moved to another CPU; 0 if unknown.
  package var migrations: UInt64 = 0

  /// Makes a reading whose values are all 0.
  package init() {}

  /// The resources used between two readings.
  package static func - (later: ResourceUse, earlier: ResourceUse) -> ResourceUse {
    var use = later
    use.cpuNs &-= earlier.cpuNs
    use.voluntarySwitches &-= earlier.voluntarySwitches
    use.involuntarySwitches &-= earlier.involuntarySwitches
    use.stealNs &-= earlier.stealNs
    use.migrations &-= earlier.migrations
    return use
  }
}

/// The overhead of measuring one sample.
package struct Overhead: Codable, Equatable, Sendable {
  /// The time to read the clock once, in ns. Each sample reads the clock twice and
  /// includes the time of one reading.
  package let clockNs: Double
  /// The time to record a sample in memory that was touched before, in ns. Samples
  /// do not include this time.
  package let recordNs: Double

  /// Measures the overhead as the median of 21 batches of 100. The median hides a
  /// batch that was interrupted or had a cold cache.
  package static func measure(_ instruments: Instruments) -> Overhead {
    var histogram = Histogram()
    let batches = (0..<21).map { _ in measureBatch(of: 100, &histogram, instruments) }
    return withExtendedLifetime(histogram) {
      Overhead(
        clockNs: Spread(of: batches.map(\.clockNs))?.median ?? 0,
        recordNs: Spread(of: batches.map(\.recordNs))?.median ?? 0
      )
    }
  }

  private static func measureBatch(
    of count: Int,
    _ histogram: inout Histogram,
    _ instruments: Instruments
  ) -> Overhead {
    let began = instruments.now()
    for _ in 1..<count { _ = instruments.now() }
    let read = instruments.now()
    for index in 0..<count { histogram.record(nanoseconds: Double(5000 + index)) }
    let recorded = instruments.now()
    return Overhead(
      clockNs: Double(read - began) / Double(count),
      recordNs: Double(recorded - read) / Double(count)
    )
  }
}
