#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Remembers the thread it was created on, and traps on every other thread.
struct ThreadCheck {
  private let owner = pthread_self()

  /// Traps unless called on the thread that created this value.
  @inline(__always)
  func callAsFunction(_ operation: StaticString) {
    require(
      pthread_equal(owner, pthread_self()) != 0,
      "\(operation) must be used on its loop's thread; post to the loop's port instead"
    )
  }
}

/// Traps with `message` unless `condition` is true, in release builds too.
@inline(__always)
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if _fastPath(condition) { return }
  trap(message())
}

/// Traps with `message`.
@inline(never)
func trap(_ message: String) -> Never { fatalError(message) }
