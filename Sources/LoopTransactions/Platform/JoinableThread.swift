import CUV
import Synchronization

/// A thread that any number of threads can join.
///
/// If it is released without a join, it ends by itself and leaks nothing.
final class JoinableThread: @unchecked Sendable {
  // @unchecked: `handle` is written before the object is shared.

  private let handle = UnsafeMutablePointer<lt_joinable>.allocate(capacity: 1)
  private let id: ThreadID
  private let isJoined = Locked(false)
  private let generation = ForkGuard.install()

  /// Starts a thread that runs `body`. Debuggers show `name`. Errors contain
  /// `operation`.
  ///
  /// - Throws: `UVError` if the system refuses the thread for 10 ms.
  init(
    _ name: String,
    for operation: String = "LoopThread.init",
    _ body: @escaping @Sendable () -> Void
  ) throws(UVError) {
    let id = ThreadID()
    self.id = id
    let main = ThreadMain(name) {
      // Relaxed: only this thread compares it with success.
      id.value.store(threadIdentity(), ordering: .relaxed)
      body()
      id.value.store(0, ordering: .releasing)
    }
    let error = main.start { [handle] in lt_thread_start_joinable(handle, $0, $1) }
    guard error == 0 else {
      // So that `deinit` does not detach it.
      isJoined.withLock { $0 = true }
      throw UVError(
        code: -error,
        operation: "\(operation) (thread '\(name)'; see `ulimit -u` and pids.max)"
      )
    }
  }

  deinit {
    // In a child process the thread does not exist, and its memory may have
    // been reused.
    if !isForked, !isJoined.withLock({ $0 }) { lt_thread_detach(handle) }
    handle.deallocate()
  }

  /// True on the thread itself, until it ends.
  var isCurrent: Bool { identity == threadIdentity() }

  /// The thread's identity; 0 after its end.
  // Acquire: pairs with the release at the thread's end. A later thread with the
  // same identity sees that this one has ended.
  var identity: UInt { id.value.load(ordering: .acquiring) }

  /// Waits until the thread has ended. Returns at once in a child process,
  /// where the thread does not exist.
  ///
  /// Call from any other thread.
  func join() {
    guard !isForked else { return }
    // Joined under the lock, so that every other caller waits for the end, too.
    isJoined.withLock { isJoined in
      if !isJoined { lt_thread_join(handle) }
      isJoined = true
    }
  }

  private var isForked: Bool { ForkGuard.generation != generation }
}

private final class ThreadID: Sendable {
  /// Identifies the thread while it runs; 0 before and after.
  let value = Atomic<UInt>(0)
}

extension JoinableThread: Unreflected {}
extension ThreadID: Unreflected {}

/// Starts threads for workers.
package enum WorkerThread {
  /// Starts a detached thread that runs `body`. Debuggers show `name`. Returns
  /// false if the system refused the thread. Does not block.
  @Sendable package static func start(_ name: String, _ body: @escaping @Sendable () -> Void)
    -> Bool
  {
    let main = ThreadMain(name) {
      // A pinned loop may have started it, and threads inherit their CPUs.
      lt_thread_unpin()
      body()
    }
    return main.start { lt_thread_start($0, $1) } == 0
  }
}

/// The name of a new thread, and the closure that it runs.
final class ThreadMain: Sendable {
  private let name: String
  private let body: @Sendable () -> Void

  init(_ name: String, _ body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }

  /// Calls `start`, which hands a function and its argument to a new thread.
  /// Returns its result: 0, or an errno.
  func start(
    by start: (@convention(c) (UnsafeMutableRawPointer?) -> Void, UnsafeMutableRawPointer) -> Int32
  ) -> Int32 {
    let context = Unmanaged.passRetained(self)
    let error = start(runThreadMain, context.toOpaque())
    if error != 0 { context.release() }
    return error
  }

  fileprivate func run() {
    // A name with a zero byte is not shown.
    _ = name.withWholeCString {
      lt_thread_set_name($0)
      return 0
    }
    body()
  }
}

private func runThreadMain(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<ThreadMain>.fromOpaque(context).takeRetainedValue().run()
}
