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
