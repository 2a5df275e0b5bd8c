private import CLoopbench
private import FoundationEssentials
private import LoopTransactions

/// The facts that `doctor` checks. Nil means unknown unless stated otherwise.
package struct MachineFacts: Equatable, Sendable {
  /// The same description of the machine as in a report.
  package var machine: Machine
  /// The number of CPUs the process may run on.
  package var allowedCPUs: Int
  /// The cgroup's limit on CPU time, in CPUs. Nil means no limit.
  package var quota: Double?
  /// The distinct frequency governors of the CPUs.
  package var governors: [String] = []
  /// Whether simultaneous multithreading is on.
  package var hasSMT: Bool?
  /// Whether the kernel divides CPU time among sessions before it divides it among
  /// processes, so that `nice` has no effect between sessions.
  package var hasAutogroup: Bool?
  /// The kernel's clock source.
  package var clockSource: String?
  /// How late the kernel may wake a sleeping thread, in ns. 0 means unknown.
  package var timerSlack: UInt64 = 0
  /// The share of CPU time since boot that the host gave to other guests.
  package var steal: Double?
  /// The average number of runnable threads over the last minute.
  package var load: Double = 0
  /// The CPUs that other processes used while the facts were measured.
  package var others: Double?
  /// How late sleeps of 1 ms end, in ns, ascending. Empty means unknown.
  package var sleepDelays: [Double] = []
  /// The median time to wake a loop on another CPU, in ns.
  package var wakeAcross: Double?
  /// The median round trip of a wake on the same CPU, in ns.
  package var wakeSame: Double?
  /// The version of libuv's header at compile time.
  package var headerLibuv: String
  /// The number of descriptors the process may open. 0 means unknown.
  package var descriptorLimit: UInt64 = 0

  /// Makes the facts of a machine about which nothing else is known.
  package init(machine: Machine, allowedCPUs: Int, headerLibuv: String) {
    (self.machine, self.allowedCPUs, self.headerLibuv) = (machine, allowedCPUs, headerLibuv)
  }
}

extension MachineFacts {
  /// Reads the kernel's files and measures this machine. Takes about half a second.
  package static func detect() -> MachineFacts {
    let placement = Placement.detect()
    var facts = read()
    let began = ProcessorTimes.now()
    facts.sleepDelays = measuredSleepDelays()
    facts.wakeAcross = wake("across", on: placement)
    facts.wakeSame = wake("same", on: placement)
    facts.others = ProcessorTimes.now().others(since: began)
    return facts
  }

  /// Reads the kernel's files.
  package static func read() -> MachineFacts {
    var facts = MachineFacts(
      machine: .detect(),
      allowedCPUs: Placement.detect().cpuCount,
      headerLibuv: String(cString: cl_uv_header_version())
    )
    facts.readSystem()
    facts.timerSlack = cl_timer_slack()
    facts.load = cl_load()
    facts.descriptorLimit = cl_descriptor_limit()
    return facts
  }

  /// Sets the facts that the kernel's files contain.
  private mutating func readSystem() {
    let file = Self.file
    quota = ControlGroup.limit()
    clockSource = file("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    steal = file("/proc/stat").flatMap(Self.steal)
    hasSMT = file("/sys/devices/system/cpu/smt/active").map { $0 == "1" }
    hasAutogroup = file("/proc/sys/kernel/sched_autogroup_enabled").map { $0 == "1" }
    governors = (0..<machine.cpus).compactMap {
      file("/sys/devices/system/cpu/cpu\($0)/cpufreq/scaling_governor")
    }.uniqued()
  }

  private static func file(_ path: String) -> String? {
    // try?: a missing file means that the fact is unknown.
    guard let data = try? InputFile.read(path, limit: 1 << 20) else { return nil }
    let line = String(decoding: data, as: UTF8.self)
    return String(line.reversed().drop { $0.isNewline }.reversed())
  }
}

extension MachineFacts {
  /// The eighth number of the line "cpu 12 0 34 …" divided by the sum of the first
  /// eight numbers.
  private static func steal(_ stat: String) -> Double? {
    let line = stat.split(separator: "\n").first { $0.hasPrefix("cpu ") }
    let times = (line ?? "").split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
    let all = times.reduce(0, +)
    return times.count == 8 && all > 0 ? times[7] / all : nil
  }
}

extension MachineFacts {
  /// Measures 200 sleeps of 1 ms.
  private static func measuredSleepDelays() -> [Double] {
    (0..<200).map { _ in
      let due = cl_now() + 1_000_000
      cl_sleep_until(due)
      return Double(max(due, cl_now()) - due)
    }.sorted()
  }

  /// The median of a short slice of the peer `uv`.
  private static func wake(_ name: String, on placement: Placement) -> Double? {
    guard
      var series = Scenario.wake.series.first(where: { $0.name == name }),
      case .success(let seats) = placement.seats(for: series.placement)
    else { return nil }
    series.workload = Workload(warmUps: 20, samples: 300, operations: 1)
    let contender = Contender(scenario: .wake, series: series, peer: CWake.uv, seats: seats)
    // try?: the fact is unknown where the peer cannot run.
    let outcome = try? contender.measure(round: 1, seed: 1, instruments: .system)
    return outcome?.recorded[name]?.dense.value(at: .p50)
  }
}
