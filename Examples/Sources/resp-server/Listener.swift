import CLibUV
import LoopTransactions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Accepts the connections of a listening socket, and pauses while there is no
/// descriptor for the next one. They wait in the socket's backlog meanwhile.
///
/// Used on its loop's thread.
///
/// Not `uv_listen`: out of descriptors, libuv closes a spare one, accepts and
/// repeats this without returning to the loop. If another thread takes the
/// spare one, `accept` fails again and libuv never returns.
final class Listener {
  private enum State {
    case accepting
    /// Until a descriptor is free or the timer fires.
    case paused(retry: LoopTimer)
    case closed
  }

  private let socket: Int32
  private let loop: EventLoop
  private let poll: UnsafeMutablePointer<uv_poll_t> = .allocate(capacity: 1)
  private let waiters: DescriptorWaiters
  private let retryDelay: Duration
  private let didPause: () -> Void
  private let didAccept: (Int32) -> Void
  private let accept: (Int32) -> Int32
  private var state = State.accepting

  /// Begins to accept. Closes `socket` if it throws.
  ///
  /// - Parameters:
  ///   - socket: Listening; closed by `close()`.
  ///   - uv: The loop that `loop` has adopted.
  ///   - waiters: Told by everyone in the process who closes a descriptor.
  ///   - retryDelay: How long after a pause to try again though nobody in the
  ///     process has closed a descriptor: another process may have, or the limit
  ///     was raised.
  ///   - didPause: Called at each pause.
  ///   - didAccept: Called with each connection's socket, which it owns.
  ///   - accept: Accepts of a socket; returns the connection's or a negative error number.
  ///     Tests bring their own.
  init(
    _ socket: Int32,
    on loop: EventLoop,
    _ uv: UnsafeMutablePointer<uv_loop_t>,
    waiters: DescriptorWaiters,
    retryDelay: Duration,
    didPause: @escaping () -> Void,
    didAccept: @escaping (Int32) -> Void,
    accept: @escaping (Int32) -> Int32 = acceptSocket
  ) throws {
    self.socket = socket
    self.loop = loop
    self.waiters = waiters
    self.retryDelay = retryDelay
    self.didPause = didPause
    self.didAccept = didAccept
    self.accept = accept
    do {
      // It also makes the socket non-blocking.
      try check(uv_poll_init(uv, poll, socket), "uv_poll_init")
    } catch {
      closeSocket(socket)
      throw error
    }
    // Released in libuv's callback.
    resp_set_handle_data(poll, Unmanaged.passRetained(self).toOpaque())
    startPolling()
  }

  deinit { poll.deallocate() }

  /// Accepts no more, and closes the socket. Again, it does nothing.
  func close() {
    switch state {
    case .accepting: break
    case .paused(let retry): retry.cancel()
    case .closed: return
    }
    state = .closed
    waiters.remove(ObjectIdentifier(self))
    poll.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, listenerClosed) }
    closeSocket(socket)
  }
}

extension Listener {
  private func startPolling() {
    let result = uv_poll_start(poll, Int32(UV_READABLE.rawValue), listenerReadable)
    precondition(result == 0, "Listener: uv_poll_start failed: \(result)")
  }

  /// Accepts the connections that there are, up to a batch.
  fileprivate func acceptBatch() {
    var isRegistered = false
    for _ in 0..<Self.batch {
      guard case .accepting = state else { return }
      let result = accept(socket)
      switch result {
      case 0...: didAccept(result)
      case -EAGAIN: return
      // The connection is gone, or the call was interrupted.
      case -ECONNABORTED, -EPROTO, -EINTR: break
      // Most often EMFILE or ENFILE. Any other error would repeat at once, too.
      case _ where isRegistered: return pause()
      default:
        // Registered before the last attempt: a descriptor that another thread
        // frees between that attempt and the pause ends the pause.
        register()
        isRegistered = true
      }
    }
  }

  private func register() {
    // Unsafe: used on the loop's thread only, where the post runs.
    nonisolated(unsafe) let listener = self
    waiters.add(ObjectIdentifier(self)) { [port = loop.port] in
      // try?: refused by a loop that has ended.
      try? port.post { listener.resume() }
    }
  }

  private func pause() {
    uv_poll_stop(poll)
    let retry = loop.addTimer(after: retryDelay) { [unowned self] _ in resume() }
    state = .paused(retry: retry)
    didPause()
  }

  private func resume() {
    guard case .paused(let retry) = state else { return }
    retry.cancel()
    state = .accepting
    startPolling()
  }

  // 64: clients that are connected are served between two batches. Not measured.
  private static var batch: Int { 64 }
}

/// The listeners of a process that pause until a descriptor is free.
///
/// Call from any thread.
final class DescriptorWaiters: Sendable {
  private let waiting: Locked<[ObjectIdentifier: @Sendable () -> Void]> = Locked([:])

  /// Has the next `didFree()` call `resume` on its thread, once. Replaces an earlier
  /// one of `listener`.
  func add(_ listener: ObjectIdentifier, _ resume: @escaping @Sendable () -> Void) {
    waiting.withLock { $0[listener] = resume }
  }

  func remove(_ listener: ObjectIdentifier) {
    // Released outside the lock: it may be the listener's last reference.
    _ = waiting.withLock { $0.removeValue(forKey: listener) }
  }

  /// A descriptor was closed. Resumes every listener, as the connection that waits may be any
  /// one's; those that get no descriptor pause again.
  func didFree() {
    let resumed = waiting.withLock { waiting in
      defer { waiting = [:] }
      return waiting.values
    }
    for resume in resumed { resume() }
  }
}

/// The next connection's socket, or a negative error number. Not inherited by programs
/// that the process runs.
func acceptSocket(_ listener: Int32) -> Int32 {
  let socket = accept(listener, nil, nil)
  guard socket >= 0 else { return -errno }
  _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
  return socket
}

private func listenerReadable(_ handle: UnsafeMutablePointer<uv_poll_t>?, _: Int32, _: Int32) {
  guard let data = resp_handle_data(handle) else { return }
  Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue().acceptBatch()
}

private func listenerClosed(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
  guard let data = resp_handle_data(handle) else { return }
  Unmanaged<Listener>.fromOpaque(data).release()
}
