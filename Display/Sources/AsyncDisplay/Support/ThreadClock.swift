#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How long a thread has computed, which others may ask.
struct ThreadClock: RawRepresentable {
  // As the system numbers it.
  let rawValue: Int32

  /// Of this thread; nil where the system lets no other thread ask.
  static var current: ThreadClock? {
    #if os(Linux)
      var clock = clockid_t()
      guard pthread_getcpuclockid(pthread_self(), &clock) == 0 else { return nil }
      return ThreadClock(rawValue: clock)
    #else
      return nil
    #endif
  }

  /// In ns; nil once the thread is gone.
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
