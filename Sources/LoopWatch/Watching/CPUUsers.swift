import LoopbenchKit

/// The processes that used the machine's CPUs.
package struct CPUUsers {
  private var last: [String: (name: String, time: UInt64)] = [:]
  /// The processes that used most of the CPUs between the last two readings, with the
  /// number of CPUs that each used on average.
  package private(set) var users: [(name: String, cpus: Double)] = []
  private var readAt: UInt64 = 0

  package init() {}

  /// Reads the CPU time of all processes, except for the given ones.
  package mutating func read(at time: UInt64, except processes: Set<Int32>) {
    var current: [String: (name: String, time: UInt64)] = [:]
    for number in ProcessFile.names(in: "/proc") {
      guard let process = Int32(number), !processes.contains(process) else { continue }
      guard let text = ProcessFile.text("/proc/\(number)/stat") else { continue }
      current[number] = Self.usage(text)
    }
    let seconds = Double(time.since(readAt)) / 1e9
    if readAt > 0, seconds > 0 {
      users = current.compactMap { number, usage in
        let used = usage.time.since(last[number]?.time ?? usage.time)
        // The kernel counts in steps of 10 ms.
        return used == 0 ? nil : (usage.name, Double(used) / 100 / seconds)
      }
      users.sort { $0.cpus > $1.cpus }
    }
    (last, readAt) = (current, time)
  }

  private static func usage(_ text: String) -> (name: String, time: UInt64)? {
    guard let start = text.firstIndex(of: "("), let end = text.lastIndex(of: ")") else {
      return nil
    }
    let words = text[end...].dropFirst(2).split(separator: " ")
    guard words.count > 12, let user = UInt64(words[11]), let system = UInt64(words[12]) else {
      return nil
    }
    return (String(text[text.index(after: start)..<end]), user + system)
  }
}
