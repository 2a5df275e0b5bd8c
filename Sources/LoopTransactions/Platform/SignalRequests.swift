import CUV

/// A thread that does work when a signal arrives, and before a trap ends the
/// process. One per process.
///
/// The handlers of the signals only ask for it, so the work may allocate and
/// lock.
final class SignalRequests: @unchecked Sendable {
  // @unchecked: `state` has a lock, and `requests` is constant after `start`.

  /// How long a trap waits for its work, in milliseconds. The thread that
  /// trapped may hold a lock that the work needs.
  static let patience: Int32 = 5000

  /// A new one in a forked child, where the thread does not exist.
  static let shared = ProcessWide { SignalRequests() }

  private struct State {
    var requests: UnsafeMutablePointer<lt_signal_requests>?
    var works: [Int32: @Sendable () -> Void] = [:]
    var trapWork: (@Sendable () -> Void)?
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
    _ = try start(operation)
    let isSignal = signal > 0 && signal < LT_REQUEST_SIGNALS
    try check(isSignal ? lt_requests_add(signal) : UV_EINVAL.rawValue, operation)
    state.withLock { $0.works[signal] = work }
  }

  /// Does `work` before a trap of another thread ends the process.
  func addTraps(_ operation: String, _ work: @escaping @Sendable () -> Void) throws(UVError) {
    let requests = try start(operation)
    state.withLock { $0.trapWork = work }
    try check(lt_requests_add_traps(requests), operation)
  }

  private func start(
    _ operation: String
  ) throws(UVError) -> UnsafeMutablePointer<lt_signal_requests> {
    lt_signals_follow_forks()
    // Started under the lock, so that no other thread installs a handler before.
    let result: Result<UnsafeMutablePointer<lt_signal_requests>, UVError> = state.withLock {
      if let requests = $0.requests { return .success(requests) }
      let result = makeServed(operation)
      if case .success(let requests) = result { $0.requests = requests }
      return result
    }
    return try result.get()
  }

  /// Makes the requests, and the thread that answers them.
  private func makeServed(
    _ operation: String
  ) -> Result<UnsafeMutablePointer<lt_signal_requests>, UVError> {
    var error: Int32 = 0
    guard let requests = lt_requests_make(Self.patience, &error) else {
      return .failure(UVError(code: error, operation: operation))
    }
    let address = UInt(bitPattern: requests)
    do throws(UVError) {
      // Not joined, because it runs until the process ends.
      _ = try JoinableThread("signal work", for: operation) { [self] in serve(address) }
      return .success(requests)
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
      let isTrap = request & Int32(LT_REQUEST_IS_TRAP) != 0
      state.withLock { isTrap ? $0.trapWork : $0.works[request] }?()
      if isTrap { lt_requests_answer(requests) }
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
