/// A closure that a C library holds as a pointer and calls once.
public final class CalledOnce: Sendable {
  private let body: @Sendable () -> Void

  private init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  /// Returns a pointer that retains `body` until `call(_:)`.
  public static func pointer(
    to body: @escaping @Sendable () -> Void
  ) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(CalledOnce(body)).toOpaque()
  }

  /// Calls and releases the closure of `pointer`. Does nothing if it is nil.
  public static func call(_ pointer: UnsafeMutableRawPointer?) {
    guard let pointer else { return }
    Unmanaged<CalledOnce>.fromOpaque(pointer).takeRetainedValue().body()
  }
}
