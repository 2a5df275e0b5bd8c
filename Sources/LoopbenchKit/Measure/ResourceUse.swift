/// Processor time and context switches of the process.
public struct ResourceUse: Equatable, Sendable {
  /// User and system time of all threads, in ns.
  public let cpuNs: UInt64
  /// How often a thread went to sleep.
  public let voluntarySwitches: UInt64
  /// How often a thread was taken off its CPU.
  public let involuntarySwitches: UInt64
  /// Time the host gave the machine's CPUs to others, in ns; 0 where unknown.
  public let stealNs: UInt64
  /// How often a thread moved to another CPU; 0 where unknown.
  public let migrations: UInt64

  /// Makes a reading.
  public init(
    cpuNs: UInt64,
    voluntarySwitches: UInt64,
    involuntarySwitches: UInt64,
    stealNs: UInt64 = 0,
    migrations: UInt64 = 0
  ) {
    self.cpuNs = cpuNs
    self.voluntarySwitches = voluntarySwitches
    self.involuntarySwitches = involuntarySwitches
    self.stealNs = stealNs
    self.migrations = migrations
  }

  /// What was used between two readings.
  package static func - (later: ResourceUse, earlier: ResourceUse) -> ResourceUse {
    ResourceUse(
      cpuNs: later.cpuNs &- earlier.cpuNs,
      voluntarySwitches: later.voluntarySwitches &- earlier.voluntarySwitches,
      involuntarySwitches: later.involuntarySwitches &- earlier.involuntarySwitches,
      stealNs: later.stealNs &- earlier.stealNs,
      migrations: later.migrations &- earlier.migrations
    )
  }
}
