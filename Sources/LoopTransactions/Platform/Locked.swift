import CUV

/// A value that several threads share, protected by a mutex.
///
/// Wraps libuv's mutex, because ThreadSanitizer reports false races in
/// `Synchronization.Mutex` on Linux. The mutex is not recursive.
///
/// ```swift
/// let hits = Locked(0)
/// hits.withLock { $0 += 1 }
/// ```
public final class Locked<Value: ~Copyable>: @unchecked Sendable {
  // @unchecked: `value` is only accessed while `mutex` is held.

  private let mutex = UnsafeMutablePointer<uv_mutex_t>.allocate(capacity: 1)

  // Unchecked: the mutex already makes accesses exclusive; the dynamic check
  // would cost more than the lock.
  @exclusivity(unchecked) private var value: Value

  /// Creates a mutex that protects `value`.
  ///
  /// Traps if the system has no memory for a mutex.
  public init(_ value: consuming Value) {
    self.value = value
    let result = uv_mutex_init(mutex)
    guard result == 0 else {
      fatalError("Locked: \(UVError(code: result, operation: "uv_mutex_init"))")
    }
  }

  deinit {
    uv_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Calls `body` with the value while holding the mutex.
  ///
  /// Call from any thread. Blocks while another thread holds the mutex. Calling
  /// `withLock` on the same object from inside `body` deadlocks.
  public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    uv_mutex_lock(mutex)
    defer { uv_mutex_unlock(mutex) }
    return try body(&value)
  }
}

extension Locked: CustomReflectable where Value: ~Copyable {
  /// Empty, because reading the value could block.
  public var customMirror: Mirror {
    Mirror(self, children: [:], ancestorRepresentation: .suppressed)
  }
}
