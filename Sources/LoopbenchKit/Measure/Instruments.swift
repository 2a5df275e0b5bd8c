private import CLoopbench

/// What a run reads from the machine while it measures. Tests bring their own.
public struct Instruments: Sendable {
  /// Nanoseconds on a clock that never goes back.
  public let now: @Sendable () -> UInt64
  /// What the process has used so far.
  public let usage: @Sendable () -> ResourceUse

  /// Makes instruments from two readings.
  public init(
    now: @escaping @Sendable () -> UInt64,
    usage: @escaping @Sendable () -> ResourceUse
  ) {
    self.now = now
    self.usage = usage
  }

  /// The monotonic clock, `getrusage`, and what the kernel says of steal and
  /// migrations.
  public static let system = Instruments(
    now: { cl_now() },
    usage: {
      let usage = cl_usage_now()
      return ResourceUse(
        cpuNs: usage.cpu_ns,
        voluntarySwitches: usage.voluntary,
        involuntarySwitches: usage.involuntary,
        stealNs: usage.steal_ns,
        migrations: usage.migrations
      )
    }
  )
}
