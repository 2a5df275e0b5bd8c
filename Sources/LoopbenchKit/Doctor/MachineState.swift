private import CLoopbench

/// The faults of the machine during a run, and how much of it other processes used.
package struct MachineState: Equatable, Sendable {
  /// The findings that `doctor` calls bad.
  package var faults: [Finding] = []
  /// The CPUs that other processes used on average. Nil if unknown.
  package var others: Double?
  /// The number of CPUs.
  package var cpus = 1

  /// Makes the state of a machine about which nothing is known.
  package init() {}

  /// Makes the state of a machine after a run.
  ///
  /// - Parameter others: The CPUs that other processes used. Nil if unknown.
  package init(_ facts: MachineFacts, others: Double?) {
    (cpus, self.others) = (facts.machine.cpus, others)
    // A debug build has a warning of its own. The load of the last minute includes
    // this process, and other processes may have ended since.
    let known = Doctor.findings(about: facts).filter { !["build", "load"].contains($0.id) }
    let load = others.map { Doctor.load($0, of: cpus, "during the run") }
    faults = (known + [load].compactMap { $0 }).filter { $0.status == .bad }
  }

  /// Begins to watch a machine. The result returns its state since this call.
  ///
  /// - Parameters:
  ///   - facts: Reads the facts of the machine. By default, of this machine.
  ///   - times: Reads the CPU times of the machine. By default, of this machine.
  package static func watch(
    facts: @escaping @Sendable () -> MachineFacts = { .read() },
    times: @escaping @Sendable () -> ProcessorTimes = { .now() }
  ) -> @Sendable () -> MachineState {
    let began = times()
    return { MachineState(facts(), others: times().others(since: began)) }
  }
}

extension Warning {
  /// Makes the warning of a fault of the machine.
  package init(_ fault: Finding) {
    self.init(id: fault.id, text: fault.text, hint: fault.fix ?? "loopbench doctor says more")
  }
}

/// The CPU time of all processes and of this process. The latter includes the processes
/// that this process started and that have ended, such as a load.
package struct ProcessorTimes: Sendable {
  private let at: UInt64
  private let busy: UInt64
  private let own: UInt64

  /// - Parameters:
  ///   - at: The time of the reading, in ns.
  ///   - busy: The CPU time of all processes, in ns. 0 if unknown.
  ///   - own: The CPU time of this process, in ns.
  package init(at: UInt64, busy: UInt64, own: UInt64) {
    (self.at, self.busy, self.own) = (at, busy, own)
  }

  package static func now() -> ProcessorTimes {
    ProcessorTimes(at: cl_now(), busy: cl_busy_ns(), own: cl_usage_now().cpu_ns + cl_children_ns())
  }

  /// The CPUs that other processes used on average since `earlier`. Nil if unknown.
  package func others(since earlier: ProcessorTimes) -> Double? {
    guard busy > 0, earlier.busy > 0, at > earlier.at else { return nil }
    let (all, mine) = (Double(busy) - Double(earlier.busy), Double(own) - Double(earlier.own))
    return max(0, all - mine) / Double(at - earlier.at)
  }
}
