/// Processor time and context switches of the process.
public struct ResourceUse: Equatable, Sendable {
  /// User and system time of all threads, in ns.
  public let cpuNs: UInt64
  /// How often a thread went to sleep.
  public let voluntarySwitches: UInt64
  /// How often a thread was taken off its CPU.
  public let involuntarySwitches: UInt64

  /// Makes a reading.
  public init(cpuNs: UInt64, voluntarySwitches: UInt64, involuntarySwitches: UInt64) {
    self.cpuNs = cpuNs
    self.voluntarySwitches = voluntarySwitches
    self.involuntarySwitches = involuntarySwitches
  }

  /// What was used between two readings.
  package static func - (later: ResourceUse, earlier: ResourceUse) -> ResourceUse {
    ResourceUse(
      cpuNs: later.cpuNs &- earlier.cpuNs,
      voluntarySwitches: later.voluntarySwitches &- earlier.voluntarySwitches,
      involuntarySwitches: later.involuntarySwitches &- earlier.involuntarySwitches
    )
  }
}
