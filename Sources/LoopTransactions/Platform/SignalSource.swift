import CUV

/// A `uv_signal_t`.
///
/// Its signal gets back its earlier disposition when the last source of the
/// process ends, and in a forked child.
struct SignalSource {
  private let watch: UnsafeMutablePointer<lt_signal_watch>
  private let handle: UVHandle<uv_signal_t>

  /// Starts calling `caught` for `owner` when the process receives `signal`.
  init(
    _ signal: Int32,
    loop: UVLoop,
    owner: AnyObject,
    caught: SignalCallback
  ) throws(UVError) {
    let handle = try UVHandle<uv_signal_t>("EventLoop.onSignal") {
      uv_signal_init(loop.pointer, $0)
    }
    handle.setOwner(owner)
    let watch = UnsafeMutablePointer<lt_signal_watch>.allocate(capacity: 1)
    let result = lt_signal_start(watch, handle.pointer, caught, signal)
    guard result == 0 else {
      watch.deallocate()
      handle.close()
      throw UVError(code: result, operation: "EventLoop.onSignal")
    }
    self.watch = watch
    self.handle = handle
  }

  /// Whether catching `signal` takes it from no other code: the signal has its
  /// default disposition, or other sources of the process catch it.
  static func isFree(_ signal: Int32) -> Bool { lt_signal_is_free(signal) != 0 }

  /// How often the signal has been caught. Any thread may catch it meanwhile.
  var caughtCount: UInt32 { lt_signal_caught(handle.pointer) }

  /// The number of the caught signal that is being delivered, from 0.
  var deliveredNumber: UInt32 { lt_signal_dispatched(handle.pointer) }

  /// Sets whether the loop's run waits for the signal.
  func keepsLoopAlive(_ yes: Bool) { handle.keepsLoopAlive(yes) }

  /// The address of the handle.
  var address: UnsafeMutableRawPointer { handle.address }

  /// Detaches the owner. Signals have no effect any more.
  func detachOwner() { handle.setOwner(nil) }

  /// Stops catching the signal. The loop's next tick frees the handle.
  func close() {
    lt_signal_end(watch)
    watch.deallocate()
    handle.close()
  }
}

/// A thread that does work when a signal arrives. One per process.
///
/// The handlers of the signals only ask for it, so the work may allocate and
/// lock.
final class SignalRequests: @unchecked Sendable {
  // @unchecked: `state` has a lock.

  /// A new one in a forked child, where the thread does not exist.
  static let shared = ProcessWide { SignalRequests() }

  private struct State {
    var isStarted = false
    var works: [Int32: @Sendable () -> Void] = [:]
  }

  private let state = Locked(State())

  /// Does `work` each time the process receives `signal`.
  ///
  /// - Throws: `UVError` `EBUSY` if the process handles or ignores the signal,
  ///   `EINVAL` if it cannot be handled.
  func add(
    _ signal: Int32,
    _ operation: String,
    _ work: @escaping @Sendable () -> Void
  ) throws(UVError) {
    try start(operation)
    let isSignal = signal > 0 && signal < LT_REQUEST_SIGNALS
    try check(isSignal ? lt_requests_add(signal) : UV_EINVAL.rawValue, operation)
    state.withLock { $0.works[signal] = work }
  }

  private func start(_ operation: String) throws(UVError) {
    lt_signals_follow_forks()
    // Started under the lock, so that no other thread installs a handler before.
    let result: Result<Void, UVError> = state.withLock { state in
      if state.isStarted { return .success(()) }
      let result = serve(operation)
      if case .success = result { state.isStarted = true }
      return result
    }
    try result.get()
  }

  /// Starts the thread.
  private func serve(_ operation: String) -> Result<Void, UVError> {
    var error: Int32 = 0
    guard let requests = lt_requests_make(&error) else {
      return .failure(UVError(code: error, operation: operation))
    }
    let address = UInt(bitPattern: requests)
    do throws(UVError) {
      // Not joined, because it runs until the process ends.
      _ = try JoinableThread("signal work", for: operation) { [self] in serve(address) }
      return .success(())
    } catch {
      lt_requests_discard(requests)
      return .failure(error)
    }
  }

  private func serve(_ address: UInt) {
    guard let requests = UnsafeMutablePointer<lt_signal_requests>(bitPattern: address) else {
      return
    }
    while true {
      let request = lt_requests_next(requests)
      state.withLock { $0.works[request] }?()
    }
  }
}

extension System {
  /// The number of a signal such as `SIGUSR2`, or nil if it is not known.
  static func signal(named name: String) -> Int32? {
    let number = lt_signal_named(name)
    return number == 0 ? nil : number
  }
}

extension SignalRequests: Unreflected {}
