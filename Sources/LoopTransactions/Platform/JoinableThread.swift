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
