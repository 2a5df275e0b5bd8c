internal import CTestSupport
internal import LoopTransactions

/// A thread of a test's own. One that nobody joins ends by itself, and leaves nothing.
package final class TestThread {
  private var thread: OpaquePointer?

  /// Starts a thread that runs `body`.
  package init(_ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(ThreadBody(body)).toOpaque()
    thread = ct_thread_start(runThread, context)
  }

  // Of a thread that is neither joined nor let go, ThreadSanitizer says that it leaks.
  deinit { if let thread { ct_thread_leave(thread) } }

  /// Waits until the thread has ended. Waiting again does nothing.
  package func join() {
    if let thread { ct_thread_join(thread) }
    thread = nil
  }

  /// Runs `body` on a thread of its own, and waits until that has ended.
  package static func run(_ body: @escaping @Sendable () -> Void) { TestThread(body).join() }

  /// Lets another thread have the processor.
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

/// Lets other threads run until `condition` holds, for 20 seconds at most; whether it
/// does.
package func inTime(_ condition: () -> Bool) -> Bool {
  let end = System.nanoseconds + 20_000_000_000
  while !condition() {
    guard System.nanoseconds < end else { return false }
    TestThread.yield()
  }
  return true
}
