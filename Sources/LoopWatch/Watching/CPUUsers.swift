import LoopbenchKit

/// The processes that used the machine's CPUs during a watch.
package struct CPUUsers {
  private var first: [Int32: UInt64]?
  private var began: UInt64 = 0
  /// The programs that used most of the CPUs since the first reading, with the number
  /// of CPUs that each used on average.
  package private(set) var users: [(name: String, cpus: Double)] = []

  package init() {}

  /// Reads the CPU time of all processes, except for the given ones.
  package mutating func read(at time: UInt64, except processes: Set<Int32>) {
    var current: [Int32: (name: String, time: UInt64)] = [:]
    for process in ProcessFile.names(in: "/proc").compactMap({ Int32($0) }) {
      guard !processes.contains(process) else { continue }
      current[process] = ProcessFile.text("/proc/\(process)/stat").flatMap(Self.usage)
    }
    guard let first else {
      (first, began) = (current.mapValues(\.time), time)
      return
    }
    var used: [String: UInt64] = [:]
    for (process, usage) in current {
      used[usage.name, default: 0] += usage.time.since(first[process] ?? 0)
    }
    let seconds = Double(time.since(began)) / 1e9
    // The kernel counts in steps of 10 ms.
    users = used.map { ($0.key, Double($0.value) / 100 / seconds) }
      .sorted { ($0.cpus, $1.name) > ($1.cpus, $0.name) }
  }

  /// The name and the CPU time of a process, from its `stat` file.
  private static func usage(_ text: String) -> (name: String, time: UInt64)? {
    guard let parts = ProcessFile.parts(ofStat: text) else { return nil }
    let words = parts.fields.split(separator: " ")
    guard words.count > 12, let user = UInt64(words[11]), let system = UInt64(words[12]) else {
      return nil
    }
    return (String(parts.name), user + system)
  }
}
