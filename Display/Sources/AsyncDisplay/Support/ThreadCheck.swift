#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Traps on every thread but the one that made it.
struct ThreadCheck {
  private let owner = pthread_self()

  /// Traps unless called on the thread that made this.
  @inline(__always)
  func callAsFunction(_ operation: StaticString) {
    require(
      pthread_equal(owner, pthread_self()) != 0,
      "\(operation): belongs to its loop's thread; post to the loop's port from this one"
    )
  }
}
