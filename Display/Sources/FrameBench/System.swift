#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Access to clocks and environment variables.
enum System {
  /// The CPU time of the calling thread, in ns.
  static var threadNanoseconds: UInt64 { nanoseconds(CLOCK_THREAD_CPUTIME_ID) }

  /// The CPU time of all threads of the process, in ns.
  static var processNanoseconds: UInt64 { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

  /// The time of `LoopClock`, in ns.
  static var nanoseconds: UInt64 { nanoseconds(CLOCK_MONOTONIC) }

  /// Returns the number in the environment variable `name`, or nil if it is not
  /// within `range`.
  static func environment(_ name: String, _ range: ClosedRange<Double>) -> Double? {
    let value = getenv(name).flatMap { Double(String(cString: $0)) }
    return value.flatMap { range.contains($0) ? $0 : nil }
  }

  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
