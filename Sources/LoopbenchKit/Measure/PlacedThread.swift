private import CLoopbench

/// A thread that starts on a given CPU.
///
/// The CPU is set in the thread's attributes, so the thread neither changes nor
/// inherits its creator's affinity. Every thread must be joined with `join()`.
package struct PlacedThread: ~Copyable {
  private let thread: OpaquePointer
  private let body: CallbackBox

  /// Starts `body` on a new thread.
  ///
  /// - Parameter cpu: The thread's CPU; `nil` for all CPUs that the process was allowed to
  ///   use when it started.
  package init(cpu: Int?, _ body: @escaping @Sendable () -> Void) throws(PeerError) {
    var started: OpaquePointer?
    let body = CallbackBox(body)
    let error = cl_thread_start(&started, Int32(cpu ?? -1), CallbackBox.call, body.address)
    guard error == 0, let started else { throw Self.failure(cpu: cpu, error: error) }
    (thread, self.body) = (started, body)
  }

  /// Waits for the thread to end.
  package consuming func join() {
    cl_thread_join(thread)
    withExtendedLifetime(body) {}
  }

  /// Calls `body` on the calling thread, then waits for this thread to end.
  consuming func join(after body: () throws(PeerError) -> Void) throws(PeerError) {
    let outcome = Result { () throws(PeerError) in try body() }
    join()
    try outcome.get()
  }

  private static func failure(cpu: Int?, error: Int32) -> PeerError {
    let place = cpu.map { "on CPU \($0)" } ?? "on any CPU"
    return PeerError("could not start a thread \(place): \(SystemError(code: error))")
  }
}

extension PlacedThread {
  /// Runs `body` on a new thread and returns its result.
  package static func run<Value: Sendable>(
    cpu: Int?,
    _ body: @escaping @Sendable () throws(PeerError) -> Value
  ) throws(PeerError) -> Value {
    let outcome = JoinResult<Result<Value, PeerError>>()
    let thread = try PlacedThread(cpu: cpu) {
      outcome.value = Result { () throws(PeerError) in try body() }
    }
    thread.join()
    guard let result = outcome.value else { throw PeerError("a measuring thread ended early") }
    return try result.get()
  }
}

/// A C function that any peer can post.
public typealias PostedFunction = @Sendable @convention(c) (PostedContext?) -> Void

/// The argument of a posted function.
public typealias PostedContext = UnsafeMutableRawPointer

/// A closure for C to call.
///
/// Swift cannot make a C function pointer from a closure that captures values or
/// depends on generic types.
final class CallbackBox: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  /// Calls the box whose `address` is the context.
  static let call: PostedFunction = { context in
    guard let context else { return }
    Unmanaged<CallbackBox>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.body() }
  }

  /// The context to pass to `call`. Keep the box alive until C no longer uses this
  /// address.
  var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}

/// A value that a thread sets for the thread that joins it.
package final class JoinResult<Value>: @unchecked Sendable {
  // @unchecked: the thread writes the value before it ends, and the reader joins
  // the thread first. The join orders the write before the read.
  package var value: Value?

  package init() {}
}

/// Carries a C pointer to another thread.
package struct UnsafeTransfer<Value>: @unchecked Sendable {
  // @unchecked: the C header says which threads may call each function. Code that
  // wraps a pointer must follow those rules.
  package let value: Value

  package init(_ value: Value) {
    self.value = value
  }
}
