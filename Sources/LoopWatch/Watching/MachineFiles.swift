internal import CLoopWatch
import LoopbenchKit

/// Reads the counters of the machine and of a process's control group that explain
/// why a thread did not run.
package final class MachineFiles {
  private let machine = ProcessFile("/proc/stat")
  private let process: Int32
  private var readAt: UInt64 = 0
  /// The time for which the control group was throttled, in ns.
  package private(set) var throttled: UInt64 = 0
  /// The time that the hypervisor took, divided by the number of CPUs, in ns. The
  /// kernel counts it in steps of 10 ms.
  package private(set) var stolen: UInt64 = 0
  private var folder: String?
  private var group: ProcessFile?
  /// The quota of the control group in CPUs; nil if it has none.
  package private(set) var quota: Double?

  package init(process: Int32) {
    self.process = process
    findGroup()
  }

  /// Finds the control group of the process, which another program may have changed.
  package func findGroup() {
    guard let folder = Self.groupFolder(of: process) else { return }
    quota = Self.quota(folder)
    guard folder != self.folder else { return }
    self.folder = folder
    group = ProcessFile(folder + "/cpu.stat")
  }

  /// Reads the counters, unless they were read a moment ago and nothing depends on them.
  package func read(at now: UInt64, isUrgent: Bool) {
    guard isUrgent || now.since(readAt) >= Self.period else { return }
    readAt = now
    (throttled, stolen) = (readThrottled(), readStolen())
  }

  /// The counters tell the causes of time that a thread did not run, so they may be older
  /// than the start of a hold. Reading them costs as much as ten looks at a thread.
  private static let period: UInt64 = 50_000_000

  private func readThrottled() -> UInt64 {
    guard let text = group?.text() else { return 0 }
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, let value = UInt64(words[1]) else { continue }
      if words[0] == "throttled_usec" { return value * 1000 }
      if words[0] == "throttled_time" { return value }
    }
    return 0
  }

  private func readStolen() -> UInt64 {
    // The first line is of all CPUs: user, nice, system, idle, iowait, irq, softirq, steal.
    guard let numbers = machine?.numbers(8), numbers.count == 8 else { return 0 }
    return numbers[7] * 10_000_000 / UInt64(max(lw_cpus(), 1))
  }

  /// The folder of the CPU controller's group.
  private static func groupFolder(of process: Int32) -> String? {
    guard let text = ProcessFile.text("/proc/\(process)/cgroup") else { return nil }
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let controllers = parts[1].split(separator: ",")
      let bases =
        controllers.contains("cpu")
        ? ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"]
        : parts[1].isEmpty ? ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"] : []
      for base in bases {
        let folder = base + (parts[2] == "/" ? "" : String(parts[2]))
        if ProcessFile.text(folder + "/cpu.stat") != nil { return folder }
      }
    }
    return nil
  }

  private static func quota(_ folder: String) -> Double? {
    if let text = ProcessFile.text(folder + "/cpu.max") {
      let words = text.split { $0 == " " || $0 == "\n" }
      guard words.count == 2, let quota = Double(words[0]), let period = Double(words[1]) else {
        return nil
      }
      return quota / period
    }
    let numbers = ["/cpu.cfs_quota_us", "/cpu.cfs_period_us"].map {
      ProcessFile.text(folder + $0).flatMap { Double($0.prefix { $0 != "\n" }) } ?? -1
    }
    return numbers[0] > 0 && numbers[1] > 0 ? numbers[0] / numbers[1] : nil
  }
}
