/// Checks whether a machine is fit for measuring, and suggests changes.
///
/// ```swift
/// let findings = Doctor.findings(about: .detect())
/// ```
package enum Doctor {
  /// Returns the result of every check that applies, in the order of the output.
  package static func findings(about facts: MachineFacts) -> [Finding] {
    (cpus(facts) + kernel(facts) + load(facts) + process(facts)).compactMap { $0 }
  }

  private static func cpus(_ facts: MachineFacts) -> [Finding?] {
    let isRelease = facts.machine.build == "release"
    let (allowed, quota) = (facts.allowedCPUs, facts.quota ?? .infinity)
    let isLimited = quota < Double(allowed)
    let limit = "a cgroup limits CPU time to \(Decimals.text(quota, digits: 2)) CPUs"
    return [
      Finding("build", isRelease ? "release build, Swift \(facts.machine.swift)" : "a debug build")
        .bad(if: !isRelease, fix: "swift build -c release --product loopbench"),
      Finding("cpus", "\(allowed) of \(facts.machine.cpus) CPUs may be used")
        .bad(if: allowed < 2, ": nothing can run across CPUs", fix: "taskset -c 0,1 loopbench"),
      facts.hasSMT.map { hasSMT in
        Finding("smt", hasSMT ? "two CPUs share a core" : "no two CPUs share a core").warn(
          if: hasSMT,
          ": loop and producer may run on the same core",
          fix: "choose CPUs of two cores: --placement 0,2 (lscpu -e shows them)"
        )
      },
      Finding("cgroup", isLimited ? limit : "no limit on CPU time below its CPUs").bad(
        if: isLimited,
        ": threads will be throttled",
        fix: "raise cpu.max of the group (docker run --cpus \(allowed))"
      ),
    ]
  }

  private static func kernel(_ facts: MachineFacts) -> [Finding?] {
    let governors = facts.governors.joined(separator: ", ")
    let fast = ["tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"]
    return [
      facts.hasAutogroup.map { hasGroups in
        Finding(
          "autogroup",
          hasGroups ? "sessions share the CPUs" : "nice applies to all processes"
        )
        .warn(
          if: hasGroups,
          ": nice has no effect between two sessions",
          fix: "echo 0 | sudo tee /proc/sys/kernel/sched_autogroup_enabled"
        )
      },
      Finding("governor", "frequency governor \(governors)").warn(
        if: governors != "performance",
        ": the clock rate changes with the load",
        fix: "sudo cpupower frequency-set -g performance"
      ).applies(if: !governors.isEmpty),
      facts.clockSource.map { source in
        Finding("clock", "clock source \(source)").warn(
          if: !fast.contains(source),
          ": reading the time is a system call",
          fix: "echo tsc | sudo tee "
            + "/sys/devices/system/clocksource/clocksource0/current_clocksource"
        )
      },
      Finding("slack", "timer slack \(time(Double(facts.timerSlack)))").warn(
        if: facts.timerSlack > 50_000,
        ": timers may be late by that time",
        fix: "start loopbench from another shell"
      ).applies(if: facts.timerSlack > 0),
    ]
  }
}

extension Doctor {
  private static func load(_ facts: MachineFacts) -> [Finding?] {
    let host = facts.machine.virtualization
    let machine = host.isEmpty ? "no virtual machine detected" : "a virtual machine (\(host))"
    let stolen = facts.steal.map { ", \(Decimals.text($0 * 100, digits: 2)) % of its time stolen" }
    let average = "load \(Decimals.text(facts.load, digits: 2)) in the last minute"
    let share = facts.load / Double(max(1, facts.machine.cpus))
    let median = facts.sleepDelays.dropFirst(facts.sleepDelays.count / 2).first ?? 0
    let wakes = [
      facts.wakeAcross.map { "\(time($0)) across CPUs" },
      facts.wakeSame.map { "\(time($0)) on one CPU, round trip" },
    ].compactMap { $0 }.joined(separator: ", ")
    return [
      Finding("steal", machine + (stolen ?? "")).warn(
        if: facts.steal ?? 0 > 0.01,
        fix: "use a machine, or an instance, that shares its CPUs less"
      ),
      facts.others.map { load($0, of: facts.machine.cpus, "just now") }
        ?? Finding("load", average).warn(if: (0.25..<0.75).contains(share), fix: quiet)
        .bad(if: share >= 0.75, ": other processes compete for the CPUs", fix: quiet),
      facts.sleepDelays.last.map { worst in
        Finding("sleep", "a sleep of 1 ms is \(time(median)) late (p50), \(time(worst)) at most")
          .warn(if: worst > 2_000_000, fix: "stop other processes; then check steal")
      },
      Finding("wake", "libuv wakes a loop in \(wakes) (p50)").warn(
        if: facts.wakeAcross ?? 0 > 200_000,
        ": CPUs enter deep idle states",
        fix: "sudo cpupower idle-set -D 10"
      ).applies(if: !wakes.isEmpty),
    ]
  }

  private static let quiet = "stop other processes: top -o %CPU"

  /// Judges the CPUs that other processes use on average. The limits, a tenth and a
  /// quarter of all CPUs, are not measured.
  package static func load(_ others: Double, of cpus: Int, _ when: String) -> Finding {
    let used = "other processes used \(Decimals.text(others, digits: 2)) of"
    let share = others / Double(max(1, cpus))
    return Finding("load", "\(used) \(String.counted(cpus, "CPU")) \(when)")
      .warn(if: (0.1..<0.25).contains(share), fix: quiet)
      .bad(if: share >= 0.25, ": times are not reliable", fix: quiet)
  }

  /// Whether `doctor` finds no fault in the CPUs that other processes use.
  package static func isQuiet(_ others: Double, of cpus: Int) -> Bool {
    load(others, of: cpus, "").status == .ok
  }

  private static func process(_ facts: MachineFacts) -> [Finding?] {
    let (loaded, header) = (facts.machine.libuv, facts.headerLibuv)
    // Huge pages and address randomization change times a little from run to run,
    // but are not faults.
    return [
      Finding(
        "libuv",
        "libuv \(loaded)" + (loaded == header ? ", header and library" : " is loaded")
      )
      .warn(
        if: loaded != header,
        ", but \(header) was compiled against",
        fix: "rm -rf .build and build again on this machine"
      ),
      Finding("descriptors", "\(facts.descriptorLimit) descriptors may be open")
        .bad(if: facts.descriptorLimit < 64, ": too few for a loop", fix: "ulimit -n 1024")
        .applies(if: facts.descriptorLimit > 0),
    ]
  }

  /// The time in the largest unit that fits.
  private static func time(_ nanoseconds: Double) -> String {
    let unit = TimeUnit.fitting([nanoseconds])
    return "\(unit.figures(nanoseconds)) \(unit.rawValue)"
  }
}

/// The result of one check of a machine.
package struct Finding: Codable, Equatable, Sendable {
  /// A name that does not change between versions: `governor`.
  package let id: String
  /// The severity.
  package private(set) var status = Status.ok
  /// The result in words.
  package private(set) var text: String
  /// A command or a sentence that says how to fix the problem. Nil if the check
  /// passed.
  package private(set) var fix: String?

  /// How much a finding affects measurements.
  package enum Status: String, Codable, Sendable {
    /// Measurements are not affected.
    case ok
    /// Times vary more than necessary.
    case warn
    /// Times are not reliable.
    case bad
  }

  /// Creates a passed check.
  package init(_ id: String, _ text: String) {
    (self.id, self.text) = (id, text)
  }

  /// If `isFault`, returns the finding with status `bad`, with `problem` appended to
  /// its text, and with `fix`. Otherwise returns the finding unchanged.
  package func bad(if isFault: Bool = true, _ problem: String = "", fix: String) -> Finding {
    isFault ? with(.bad, problem, fix) : self
  }

  fileprivate func warn(if isFault: Bool, _ problem: String = "", fix: String) -> Finding {
    isFault ? with(.warn, problem, fix) : self
  }

  private func with(_ status: Status, _ problem: String, _ fix: String) -> Finding {
    var finding = self
    (finding.status, finding.text, finding.fix) = (status, text + problem, fix)
    return finding
  }

  fileprivate func applies(if isKnown: Bool) -> Finding? { isKnown ? self : nil }
}
