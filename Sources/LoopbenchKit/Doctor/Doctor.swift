/// Says whether a machine is fit for measuring, and what to change.
///
/// ```swift
/// let findings = Doctor.findings(about: .detect())
/// ```
package enum Doctor {
  /// Every check that applies, in the order they are shown in.
  package static func findings(about facts: MachineFacts) -> [Finding] {
    let checks = [
      build, cpus, smt, quota, autogroup, governor, clock, slack, virtualization, load, sleep, wake,
      libuv, memory, descriptors,
    ]
    return checks.compactMap { $0(facts) }
  }

  private static func build(_ facts: MachineFacts) -> Finding {
    facts.machine.build == "release"
      ? .ok("build", "release build, Swift \(facts.machine.swift)")
      : .bad("build", "a debug build", fix: "swift build -c release --product loopbench")
  }

  private static func cpus(_ facts: MachineFacts) -> Finding {
    let text = "\(facts.allowedCPUs) of \(facts.machine.cpus) CPUs may be used"
    return facts.allowedCPUs >= 2
      ? .ok("cpus", text)
      : .bad("cpus", text + ": nothing runs across CPUs", fix: "taskset -c 0,1 loopbench")
  }

  private static func quota(_ facts: MachineFacts) -> Finding {
    guard let quota = facts.quota, quota < Double(facts.allowedCPUs) else {
      return .ok("cgroup", "no limit on CPU time below its CPUs")
    }
    return .bad(
      "cgroup",
      "a cgroup limits CPU time to \(Decimals.text(quota, digits: 2)) CPUs: it will be stopped",
      fix: "raise cpu.max of the group (docker run --cpus \(facts.allowedCPUs))"
    )
  }

  private static func governor(_ facts: MachineFacts) -> Finding? {
    guard !facts.governors.isEmpty else { return nil }
    let names = facts.governors.joined(separator: ", ")
    return facts.governors == ["performance"]
      ? .ok("governor", "frequency governor performance")
      : .warn(
        "governor",
        "frequency governor \(names): the clock rate moves with the load",
        fix: "sudo cpupower frequency-set -g performance"
      )
  }

  private static func clock(_ facts: MachineFacts) -> Finding? {
    guard let source = facts.clockSource else { return nil }
    let fast = ["tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"]
    return fast.contains(source)
      ? .ok("clock", "clock source \(source)")
      : .warn(
        "clock",
        "clock source \(source): reading the time is a system call",
        fix: "echo tsc | sudo tee "
          + "/sys/devices/system/clocksource/clocksource0/current_clocksource"
      )
  }

  private static func slack(_ facts: MachineFacts) -> Finding? {
    guard facts.timerSlack > 0 else { return nil }
    let text = "timer slack \(time(Double(facts.timerSlack)))"
    return facts.timerSlack <= 50_000
      ? .ok("slack", text)
      : .warn("slack", text + ": timers are late by as much", fix: "start it from another shell")
  }
}

extension Doctor {
  private static func virtualization(_ facts: MachineFacts) -> Finding {
    let host = facts.machine.virtualization
    let name = host.isEmpty ? "no virtual machine seen" : "a virtual machine (\(host))"
    guard let steal = facts.steal else { return .ok("steal", name) }
    let text = "\(name), \(Decimals.text(steal * 100, digits: 2)) % of its time stolen so far"
    return steal <= 0.01
      ? .ok("steal", text)
      : .warn("steal", text, fix: "use a machine, or an instance, that shares its CPUs less")
  }

  private static func load(_ facts: MachineFacts) -> Finding {
    let text = "load \(Decimals.text(facts.load, digits: 2)) on \(facts.machine.cpus) CPUs"
    let share = facts.load / Double(max(1, facts.machine.cpus))
    let fix = "stop what runs beside it: top -o %CPU"
    return switch share {
    case ..<0.25: .ok("load", text)
    case ..<0.75: .warn("load", text, fix: fix)
    default: .bad("load", text + ": it competes for them", fix: fix)
    }
  }

  private static func sleep(_ facts: MachineFacts) -> Finding? {
    guard let overshoot = facts.overshoot else { return nil }
    let text =
      "a sleep of 1 ms is \(time(overshoot.median)) too long (p50), \(time(overshoot.worst)) at most"
    return overshoot.worst <= 2_000_000
      ? .ok("sleep", text)
      : .warn("sleep", text, fix: "stop what runs beside it; then look at steal")
  }

  private static func wake(_ facts: MachineFacts) -> Finding? {
    let parts = [
      facts.wakeAcross.map { "\(time($0)) across CPUs" },
      facts.wakeSame.map { "\(time($0)) on one, there and back" },
    ].compactMap { $0 }
    guard !parts.isEmpty else { return nil }
    let text = "libuv wakes a loop in " + parts.joined(separator: ", ") + " (p50)"
    guard let across = facts.wakeAcross, across > 200_000 else { return .ok("wake", text) }
    return .warn("wake", text + ": CPUs sleep deeply", fix: "sudo cpupower idle-set -D 10")
  }

  private static func libuv(_ facts: MachineFacts) -> Finding {
    let (ran, header) = (facts.machine.libuv, facts.headerLibuv)
    return ran == header
      ? .ok("libuv", "libuv \(ran), header and library")
      : .warn(
        "libuv",
        "libuv \(ran) runs, but \(header) was compiled against",
        fix: "rm -rf .build and build again, on the machine that measures"
      )
  }

  private static func descriptors(_ facts: MachineFacts) -> Finding? {
    guard facts.descriptorLimit > 0 else { return nil }
    let text = "\(facts.descriptorLimit) descriptors may be open"
    return facts.descriptorLimit >= 64
      ? .ok("descriptors", text)
      : .bad("descriptors", text + ": a loop needs several", fix: "ulimit -n 1024")
  }

  /// In a unit that fits.
  private static func time(_ nanoseconds: Double) -> String {
    let unit = TimeUnit.fitting([nanoseconds])
    let value = nanoseconds / unit.nanoseconds
    return Decimals.text(value, digits: Decimals.digits(for: value)) + " " + unit.rawValue
  }
}

extension Doctor {
  static func smt(_ facts: MachineFacts) -> Finding? {
    facts.hasSMT.map {
      $0
        ? .warn(
          "smt",
          "two CPUs share a core: across CPUs may be across half a core",
          fix: "choose CPUs of two cores: --placement 0,2 (lscpu -e shows them)"
        ) : .ok("smt", "no two CPUs share a core")
    }
  }

  static func autogroup(_ facts: MachineFacts) -> Finding? {
    facts.hasAutogroup.map {
      $0
        ? .warn(
          "autogroup",
          "sessions share the CPUs first: nice has no effect from one to another",
          fix: "echo 0 | sudo tee /proc/sys/kernel/sched_autogroup_enabled"
        ) : .ok("autogroup", "nice counts among all processes")
    }
  }

  /// Both move figures a little from run to run, and neither is a fault.
  static func memory(_ facts: MachineFacts) -> Finding? {
    let parts = [
      facts.hugePages.map { "huge pages \($0)" },
      facts.randomizesAddresses.map { $0 ? "addresses differ from run to run" : "fixed addresses" },
    ].compactMap { $0 }
    return parts.isEmpty ? nil : .ok("memory", parts.joined(separator: ", "))
  }
}

/// What one check of a machine says.
package struct Finding: Codable, Equatable, Sendable {
  /// Stays the same from version to version: `governor`.
  package let id: String
  /// How bad it is.
  package let status: Status
  /// What was found.
  package let text: String
  /// The command or the sentence that mends it; nil when nothing has to be.
  package var fix: String?

  /// How far a finding spoils figures.
  package enum Status: String, Codable, Comparable, CaseIterable, Sendable {
    /// Not at all.
    case ok
    /// Figures move more than they have to.
    case warn
    /// Figures say little.
    case bad

    /// By how bad it is.
    package static func < (first: Status, second: Status) -> Bool {
      (allCases.firstIndex(of: first) ?? 0) < (allCases.firstIndex(of: second) ?? 0)
    }
  }

  static func ok(_ id: String, _ text: String) -> Finding {
    Finding(id: id, status: .ok, text: text)
  }

  static func warn(_ id: String, _ text: String, fix: String) -> Finding {
    Finding(id: id, status: .warn, text: text, fix: fix)
  }

  package static func bad(_ id: String, _ text: String, fix: String) -> Finding {
    Finding(id: id, status: .bad, text: text, fix: fix)
  }
}
