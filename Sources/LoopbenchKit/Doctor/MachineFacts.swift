import LoopTransactionsTesting
private import CLoopbench
private import FoundationEssentials

/// What `doctor` judges a machine by. `nil` is what could not be read here.
package struct MachineFacts: Equatable, Sendable {
  /// As a report has it.
  package var machine: Machine
  /// CPUs the process may run on.
  package var allowedCPUs: Int
  /// CPUs' worth of time that a cgroup gives it; nil for no limit.
  package var quota: Double?
  /// The frequency governors of its CPUs, each once.
  package var governors: [String] = []
  /// Whether two of its CPUs may share a core; `nil` where unknown.
  package var hasSMT: Bool?
  /// Whether the kernel shares CPU time among sessions first, so that `nice` has
  /// no effect from one to the other.
  package var hasAutogroup: Bool?
  /// Transparent huge pages: `always`, `madvise` or `never`.
  package var hugePages: String?
  /// Whether addresses differ from run to run.
  package var randomizesAddresses: Bool?
  /// The kernel's clock.
  package var clockSource: String?
  /// How late the kernel may wake a sleeping thread, in ns.
  package var timerSlack: UInt64 = 0
  /// The part of CPU time the host gave to others since it started; nil where unknown.
  package var steal: Double?
  /// Runnable threads over the last minute, on average.
  package var load: Double = 0
  /// How many ns too long a sleep of 1 ms was: the median, and the worst.
  package var overshoot: Overshoot?
  /// The median cost of waking a loop on another CPU, in ns.
  package var wakeAcross: Double?
  /// The median cost of waking a loop on the same CPU, there and back, in ns.
  package var wakeSame: Double?
  /// The libuv that was compiled against.
  package var headerLibuv: String
  /// Descriptors the process may open; 0 where unknown.
  package var descriptorLimit: UInt64 = 0

  /// How much too long sleeps were, in ns.
  package struct Overshoot: Equatable, Sendable {
    /// The median.
    package var median: Double
    /// The largest.
    package var worst: Double
  }
}

extension MachineFacts {
  /// Reads and measures this machine. Takes about half a second.
  package static func detect() -> MachineFacts {
    let placement = Placement.detect()
    var facts = MachineFacts(
      machine: .detect(),
      allowedCPUs: placement.cpuCount,
      headerLibuv: String(cString: cl_uv_header_version())
    )
    facts.readSystem { path in file(path) }
    facts.timerSlack = cl_timer_slack()
    facts.load = cl_load()
    facts.descriptorLimit = cl_descriptor_limit()
    facts.overshoot = measuredOvershoot()
    facts.wakeAcross = wake("across", .across, on: placement)
    facts.wakeSame = wake("same", .same, on: placement)
    return facts
  }

  /// What the kernel's files say.
  ///
  /// - Parameter file: The text at a path, if there is one.
  package mutating func readSystem(_ file: (String) -> String?) {
    quota = Self.quota(file)
    clockSource = file("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    steal = file("/proc/stat").flatMap(Self.steal)
    hasSMT = file("/sys/devices/system/cpu/smt/active").map { $0 == "1" }
    hasAutogroup = file("/proc/sys/kernel/sched_autogroup_enabled").map { $0 == "1" }
    randomizesAddresses = file("/proc/sys/kernel/randomize_va_space").map { $0 != "0" }
    hugePages = file("/sys/kernel/mm/transparent_hugepage/enabled").flatMap(Self.chosen)
    governors = (0..<machine.cpus).compactMap {
      file("/sys/devices/system/cpu/cpu\($0)/cpufreq/scaling_governor")
    }.uniqued()
  }

  private static func file(_ path: String) -> String? {
    // try?: a file that is not there is what this system does not tell.
    guard let data = try? InputFile.read(path, limit: 1 << 20) else { return nil }
    let line = String(decoding: data, as: UTF8.self)
    return String(line.reversed().drop { $0.isNewline }.reversed())
  }
}

extension MachineFacts {
  /// The tightest limit on the way from the process's own group to the root.
  private static func quota(_ file: (String) -> String?) -> Double? {
    let groups = file("/proc/self/cgroup")?.split(separator: "\n") ?? []
    var path = groups.first { $0.hasPrefix("0::") }?.dropFirst(3) ?? "/"
    var limits: [Double] = []
    while true {
      let folder = "/sys/fs/cgroup" + (path == "/" ? "" : path)
      limits += file(folder + "/cpu.max").flatMap(limit).map { [$0] } ?? []
      guard let slash = path.lastIndex(of: "/"), path.count > 1 else { break }
      path = slash == path.startIndex ? "/" : path[..<slash]
    }
    return limits.min()
  }

  /// "150000 100000": 1.5 CPUs; "max 100000": no limit.
  /// The word in brackets: `always [madvise] never`.
  private static func chosen(_ text: String) -> String? {
    text.split(separator: " ").first { $0.hasPrefix("[") && $0.hasSuffix("]") }.map {
      String($0.dropFirst().dropLast())
    }
  }

  private static func limit(_ text: String) -> Double? {
    let numbers = text.split(separator: " ").map { Double($0) }
    guard numbers.count == 2, let time = numbers[0], let period = numbers[1], period > 0 else {
      return nil
    }
    return time / period
  }

  /// The eighth number of "cpu  12 0 34 …", over all of them.
  private static func steal(_ stat: String) -> Double? {
    let line = stat.split(separator: "\n").first { $0.hasPrefix("cpu ") }
    let times = (line ?? "").split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
    let all = times.reduce(0, +)
    return times.count == 8 && all > 0 ? times[7] / all : nil
  }
}

extension MachineFacts {
  /// Over 200 ms of sleeping.
  private static func measuredOvershoot() -> Overshoot {
    let count = 200
    var samples = [UInt64](repeating: 0, count: count)
    cl_sleep_overshoot(&samples, Int32(count))
    samples.sort()
    return Overshoot(median: Double(samples[count / 2]), worst: Double(samples[count - 1]))
  }

  /// The median that libuv's own peer measures in a short slice.
  private static func wake(
    _ series: String,
    _ rule: Placement.Rule,
    on placement: Placement
  ) -> Double? {
    guard case .success(let seats) = placement.seats(for: rule) else { return nil }
    let slice = Slice(
      series: series,
      effort: Effort(warmUps: 20, samples: 300, operations: 1),
      seats: seats,
      generator: SeededGenerator(seed: 1, stream: 0)
    )
    // try?: a machine that cannot run the peer has no such figure.
    let measured = try? PlacedThread.run(cpu: seats.loop) { () throws(PeerFailure) -> Slice in
      var slice = slice
      try CWake.uv.measure(&slice)
      return slice
    }
    return measured?.recorded[series]?.value(at: .p50)
  }
}
