#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread's CPU clock, which other threads can read.
struct ThreadClock: RawRepresentable {
  // The system's identifier of the clock.
  let rawValue: Int32

  /// The calling thread's clock, or nil where the system does not let other
  /// threads read it.
  static var current: ThreadClock? {
    #if os(Linux)
      var clock = clockid_t()
      guard pthread_getcpuclockid(pthread_self(), &clock) == 0 else { return nil }
      return ThreadClock(rawValue: clock)
    #else
      return nil
    #endif
  }

  /// The thread's CPU time in ns, or nil if the thread has ended.
  var nanoseconds: UInt64? {
    #if os(Linux)
      var time = timespec()
      guard clock_gettime(rawValue, &time) == 0 else { return nil }
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    #else
      return nil
    #endif
  }
}
