import CLibUV
import LoopTransactions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Accepts the connections of a listening socket. Loop thread only.
///
/// A listener pauses while the process has no descriptor for the next connection.
/// During the pause, connections wait in the socket's backlog.
///
/// `uv_listen` cannot be used. If the process has no free descriptors, `uv_listen`
/// closes a spare descriptor, accepts a connection, and repeats this without
/// returning to the loop. If another thread takes the spare descriptor, `accept`
/// fails again and libuv never returns.
final class Listener {
  private enum State {
    case accepting
    /// Resumes when a descriptor is freed or the timer fires.
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

  /// Starts accepting. Closes `socket` if it throws.
  ///
  /// - Parameters:
  ///   - socket: A listening socket, which `close()` closes.
  ///   - uv: The libuv loop that `loop` has adopted.
  ///   - waiters: Shared by all listeners of the process. Its `didFree()` must be called
  ///     each time a descriptor has been closed.
  ///   - retryDelay: The time after which a paused listener retries even if this process
  ///     has closed no descriptor. Another process may have closed a descriptor, or the
  ///     limit may have been raised.
  ///   - didPause: Called at each pause.
  ///   - didAccept: Called with each connection's socket, and takes ownership of it.
  ///   - accept: Accepts a connection. Returns its socket or a negative error number.
  ///     Tests replace it.
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
      // `uv_poll_init` also makes the socket non-blocking.
      try check(uv_poll_init(uv, poll, socket), "uv_poll_init")
    } catch {
      closeSocket(socket)
      throw error
    }
    // libuv's close callback releases the listener.
    resp_set_handle_data(poll, Unmanaged.passRetained(self).toOpaque())
    startPolling()
  }

  deinit { poll.deallocate() }

  /// Stops accepting and closes the socket. Has no effect if the listener is
  /// closed.
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
    precondition(result == 0, "Listener: uv_poll_start failed: \(errorMessage(result))")
  }

  /// Accepts the waiting connections, at most `batch` of them.
  fileprivate func acceptBatch() {
    var isRegistered = false
    for _ in 0..<Self.batch {
      guard case .accepting = state else { return }
      let result = accept(socket)
      switch result {
      case 0...: didAccept(result)
      case -EAGAIN: return
      // The client has disconnected, or the call was interrupted.
      case -ECONNABORTED, -EPROTO, -EINTR: break
      // The error is usually EMFILE or ENFILE. An immediate retry would fail again,
      // with any error.
      case _ where isRegistered: return pause()
      default:
        // Order: register before the last attempt. If another thread frees a descriptor
        // between that attempt and the pause, that thread ends the pause.
        register()
        isRegistered = true
      }
    }
  }

  private func register() {
    // nonisolated(unsafe): only the posted closure uses the listener, on the loop's
    // thread.
    nonisolated(unsafe) let listener = self
    waiters.add(ObjectIdentifier(self)) { [port = loop.port] in
      // try?: throws only if the loop has closed.
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

  // The limit lets the loop serve connected clients between batches. The value of 64
  // is not measured.
  private static var batch: Int { 64 }
}

/// The listeners of a process that wait for a free descriptor.
///
/// Call from any thread.
final class DescriptorWaiters: Sendable {
  private let waiting: Locked<[ObjectIdentifier: @Sendable () -> Void]> = Locked([:])

  /// Registers `resume`, which the next `didFree()` calls once, on the thread that calls
  /// `didFree()`. Replaces an earlier registration of `listener`.
  func add(_ listener: ObjectIdentifier, _ resume: @escaping @Sendable () -> Void) {
    waiting.withLock { $0[listener] = resume }
  }

  func remove(_ listener: ObjectIdentifier) {
    // Releases the closure outside the lock, because the closure may hold the last
    // reference to the listener.
    _ = waiting.withLock { $0.removeValue(forKey: listener) }
  }

  /// Resumes every waiting listener. Call after closing a descriptor.
  ///
  /// All listeners are resumed because any of them may have a waiting connection.
  /// Listeners that get no descriptor pause again.
  func didFree() {
    let resumed = waiting.withLock { waiting in
      defer { waiting = [:] }
      return waiting.values
    }
    for resume in resumed { resume() }
  }
}

/// Accepts the next connection. Returns its socket, which closes on `exec`, or a negative
/// error number.
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
