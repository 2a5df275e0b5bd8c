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
      current[process] = ProcessFile("/proc/\(process)/stat").flatMap(Self.usage)
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
  private static func usage(_ file: ProcessFile) -> (name: String, time: UInt64)? {
    file.withStat { name, fields in
      // After the state: parent, group, session, terminal, its group, flags, four counts of
      // page faults, user time and system time.
      let numbers = ProcessFile.numbers(fields, 12)
      guard numbers.count == 12 else { return nil }
      return (String(decoding: name, as: UTF8.self), numbers[10] + numbers[11])
    } ?? nil
  }
}
