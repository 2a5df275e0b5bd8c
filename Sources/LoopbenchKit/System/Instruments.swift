private import CLoopbench

/// What a run reads from the machine while it measures. Tests bring their own.
package struct Instruments: Sendable {
  /// Nanoseconds on a clock that never goes back.
  package let now: @Sendable () -> UInt64
  /// What the process has used so far.
  package let usage: @Sendable () -> ResourceUse

  /// Makes instruments from two readings.
  package init(
    now: @escaping @Sendable () -> UInt64,
    usage: @escaping @Sendable () -> ResourceUse
  ) {
    self.now = now
    self.usage = usage
  }

  /// The monotonic clock, `getrusage`, and what the kernel says of steal and
  /// migrations.
  package static let system = Instruments(
    now: { cl_now() },
    usage: {
      let usage = cl_usage_now()
      var use = ResourceUse()
      use.cpuNs = usage.cpu_ns
      (use.voluntarySwitches, use.involuntarySwitches) = (usage.voluntary, usage.involuntary)
      (use.stealNs, use.migrations) = (usage.steal_ns, usage.migrations)
      return use
    }
  )
}

/// Processor time and context switches of the process.
package struct ResourceUse: Equatable, Sendable {
  /// User and system time of all threads, in ns.
  package var cpuNs: UInt64 = 0
  /// How often a thread went to sleep.
  package var voluntarySwitches: UInt64 = 0
  /// How often a thread was taken off its CPU.
  package var involuntarySwitches: UInt64 = 0
  /// Time the host gave the machine's CPUs to others, in ns; 0 where unknown.
  package var stealNs: UInt64 = 0
  /// How often a thread moved to another CPU; 0 where unknown.
  package var migrations: UInt64 = 0

  /// Makes a reading.
  package init() {}

  /// What was used between two readings.
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

/// What measuring itself costs, for each sample.
package struct Overhead: Codable, Equatable, Sendable {
  /// Reading the clock once, in ns: a sample reads it twice, and contains the
  /// time of one reading.
  package let clockNs: Double
  /// Recording a sample, in ns, in memory that was touched before: done after the
  /// measured time.
  package let recordNs: Double

  /// Measures it: the median of 21 batches of 100, of which one that was
  /// interrupted, or met a cold cache, is only one.
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
