import CUV

/// The CPU limits of Linux control groups.
package enum ControlGroup {
  /// Returns the number of processors the process has quota for, rounded up, or
  /// nil if there is no limit. See `limit(groups:mount:)`.
  package static func quota(
    groups: String = "/proc/self/cgroup",
    mount: String = "/sys/fs/cgroup"
  ) -> Int? {
    limit(groups: groups, mount: mount).map { Int($0.rounded(.up)) }
  }

  /// Returns the processors the process has quota for, or nil if there is no
  /// limit. The lowest limit of its group and all enclosing groups applies.
  ///
  /// - Parameters:
  ///   - groups: The file that lists the process's groups.
  ///   - mount: The directory at which control groups are mounted.
  package static func limit(
    groups: String = "/proc/self/cgroup",
    mount: String = "/sys/fs/cgroup"
  ) -> Double? {
    var least: Double?
    for line in text(of: groups)?.split(separator: "\n") ?? [] {
      // "0::/user.slice" in version 2; "4:cpu,cpuacct:/user.slice" in version 1.
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let controllers = parts[1].split(separator: ",")
      guard parts[1].isEmpty || controllers.contains("cpu") else { continue }
      let root = parts[1].isEmpty ? mount : "\(mount)/\(parts[1])"
      for path in paths(from: parts[2]) {
        let limit = parts[1].isEmpty ? second(root + path) : first(root + path)
        if let limit { least = min(least ?? limit, limit) }
      }
    }
    return least
  }

  /// Returns the file by which the kernel reports memory pressure in the
  /// process's group of version 2, or nil if the process has no such group.
  package static func memoryPressureFile(
    groups: String = "/proc/self/cgroup",
    mount: String = "/sys/fs/cgroup"
  ) -> String? {
    for line in text(of: groups)?.split(separator: "\n") ?? [] where line.hasPrefix("0::/") {
      let path = line.dropFirst("0::".count)
      return "\(mount)\(path == "/" ? "" : path)/memory.pressure"
    }
    return nil
  }

  /// Returns `path` and all paths that enclose it. Inside a container, only the
  /// outermost path may exist.
  private static func paths(from path: Substring) -> [String] {
    var paths = [""]
    for part in path.split(separator: "/") { paths.append("\(paths[paths.count - 1])/\(part)") }
    return paths
  }

  // The file contains "50000 100000", for example, or "max 100000" for no
  // limit.
  private static func second(_ folder: String) -> Double? {
    let parts = text(of: folder + "/cpu.max")?.split { $0 == " " || $0 == "\n" } ?? []
    guard parts.count == 2 else { return nil }
    return processors(Int(parts[0]), of: Int(parts[1]))
  }

  // A quota of -1 means no limit.
  private static func first(_ folder: String) -> Double? {
    processors(
      number(folder + "/cpu.cfs_quota_us"),
      of: number(folder + "/cpu.cfs_period_us")
    )
  }

  private static func processors(_ quota: Int?, of period: Int?) -> Double? {
    guard let quota, let period, quota > 0, period > 0 else { return nil }
    return Double(quota) / Double(period)
  }

  private static func number(_ path: String) -> Int? {
    text(of: path)?.split(separator: "\n").first.flatMap { Int($0) }
  }

  private static func text(of path: String) -> String? {
    // 16 KiB is enough, because these files have a few lines.
    let bytes = System.bytes(ofFile: path, atMost: 16_384)
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }
}

/// The number of processors that this process may use.
package enum ActiveCores {
  /// The number of processors the process may run on, limited by its control
  /// group's quota; at least 1. Computed once.
  static let count: Int = max(1, min(allowed, ControlGroup.quota() ?? allowed))

  /// The number of processors the process may run on.
  package static var allowed: Int { Int(uv_available_parallelism()) }
}

/// The CPUs that the calling thread may run on.
enum CPUAffinity {
  /// Makes the calling thread run only on `cpus`. Does nothing if there are
  /// none, and on other systems than Linux.
  static func pin(to cpus: [Int], for operation: @autoclosure () -> String) throws(UVError) {
    guard !cpus.isEmpty else { return }
    // Computed first, because libuv counts the CPUs of the calling thread.
    _ = ActiveCores.count
    let numbers = cpus.map { Int32(clamping: $0) }
    try check(lt_thread_pin(numbers, numbers.count), operation())
  }

  /// Makes the calling thread run on the process's CPUs again, although the
  /// thread that started it was pinned.
  static func unpin() { lt_thread_unpin() }
}

/// The kernel's reports of pressure stall information (PSI).
enum PressureFile {
  /// Opens `file`, whose descriptor has `POLLPRI` each time that `trigger` is
  /// met.
  ///
  /// - Throws: `UVError` with the name of the file.
  static func open(_ file: String, trigger: String) throws(UVError) -> Int32 {
    try check(lt_pressure_open(file, trigger), "EventLoop.onMemoryPressure (\(file))")
  }
}
