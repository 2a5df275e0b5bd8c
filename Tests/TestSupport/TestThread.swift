internal import CTestSupport
internal import LoopTransactions

/// A thread of a test. A thread that is not joined ends by itself and leaks
/// nothing.
package final class TestThread {
  private var thread: OpaquePointer?

  /// Starts a thread that runs `body`.
  package init(_ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(ThreadBody(body)).toOpaque()
    thread = ct_thread_start(runThread, context)
  }

  // Without this, ThreadSanitizer reports a leak of a thread that was not
  // joined.
  deinit { if let thread { ct_thread_leave(thread) } }

  /// Waits until the thread has ended. Joining again does nothing.
  package func join() {
    if let thread { ct_thread_join(thread) }
    thread = nil
  }

  /// Runs `body` on a new thread and joins it.
  package static func run(_ body: @escaping @Sendable () -> Void) { TestThread(body).join() }

  /// Yields the processor to another thread.
  package static func yield() { ct_yield() }

  /// The processor time that the calling thread has used.
  package static var processorTime: Duration { .nanoseconds(Int64(ct_thread_time())) }
}

private final class ThreadBody {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runThread(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().body()
}

/// Lets other threads run until `condition` holds, for at most ten minutes.
/// Returns true if it holds.
///
/// After a while it sleeps between the checks: Dispatch then starts another
/// thread if this one belongs to its pool and is the only one on one CPU.
package func inTime(_ condition: () -> Bool) -> Bool {
  let end = System.nanoseconds + 600_000_000_000
  var checks = 0
  while !condition() {
    guard System.nanoseconds < end else { return false }
    checks += 1
    if checks < 1000 { TestThread.yield() } else { ct_pause() }
  }
  return true
}
