import CUV

/// Takes the call stacks of threads that run, by a signal. One per process.
///
/// The thread takes its own stack in the signal's handler, after it has checked
/// that it still is in the tick of the request. A handler that is too late finds
/// that its request has ended, and does nothing.
final class StackCapture: @unchecked Sendable {
  // @unchecked: one thread at a time asks, under `lock`. The handler owns the
  // request while its state says so.

  /// A thread in a tick.
  struct Target {
    fileprivate let slot: WorkSlot
    fileprivate let thread: UInt32
    fileprivate let hold: UInt64
    fileprivate let since: UInt64

    /// The thread with this number, in the tick `hold` of `slot`, which began at
    /// `since`.
    init(_ slot: WorkSlot, _ thread: UInt32, hold: UInt64, since: UInt64) {
      (self.slot, self.thread, self.hold, self.since) = (slot, thread, hold, since)
    }
  }

  /// A new one in a forked child, where another thread may have had the lock.
  static let shared = ProcessWide { StackCapture() }

  /// The signal, or 0 if the system has no support.
  static var signal: Int32 { lt_stack_signal() }

  // Not a `Locked<Void>`: ThreadSanitizer takes an access to the empty value for
  // one to the header of the object, which other threads read.
  private let lock = Locked(false)
  // Never freed, because a signal may arrive at any time.
  private let capture = lt_stack_capture_make()

  /// How often the handler has run.
  var runs: UInt32 { capture.map { lt_stack_runs($0) } ?? 0 }

  /// Whether the handler answered the last request.
  var isAnswered: Bool { capture.map { lt_stack_is_taken(lt_stack_state($0)) != 0 } ?? false }

  /// Installs the handler, which stays installed. Does nothing on a system
  /// without support.
  ///
  /// - Throws: `UVError` `EBUSY` if the process uses the signal.
  func start() throws(UVError) {
    guard let capture else {
      throw UVError(code: UVError.outOfMemory, operation: "LoopWatchdog.init")
    }
    lt_signals_follow_forks()
    let error = lock.withLock { _ in lt_stack_install(capture) }
    if error == UVError.notSupported { return }
    try check(error, "LoopWatchdog.init (capturesStacks needs signal \(Self.signal))")
  }

  /// Lets the calling thread receive the signal.
  static func admitSignal() { lt_stack_admit() }

  /// Returns the stack of a thread, innermost address first. Returns an empty one
  /// if the thread does not run, leaves its tick, or does not answer within
  /// `patience` nanoseconds.
  ///
  /// Blocks until then. One system call and `beforeSignal` are all that runs from
  /// the last check of the thread to its signal.
  func stack(
    of target: Target,
    within patience: UInt64,
    beforeSignal: () -> Void = {}
  ) -> [UInt] {
    lock.withLock { _ in
      guard let capture, lt_stack_is_installed() != 0 else { return [] }
      let number = lt_stack_ask(capture, target.slot.pointer, target.hold, target.since)
      guard number != 0 else { return [] }
      if ThreadState.isRunning(target.thread, accepting: Self.signal) {
        beforeSignal()
        if lt_stack_send(number, target.thread) == 0 { wait(for: patience, capture) }
      }
      guard lt_stack_end(capture, number) != 0 else { return [] }
      let addresses = lt_stack_addresses(capture)
      return (0..<Int(capture.pointee.count)).compactMap { addresses?[$0] }
    }
  }

  /// Waits until the handler has answered, for at most `patience` nanoseconds.
  private func wait(for patience: UInt64, _ capture: UnsafeMutablePointer<lt_stack_capture>) {
    let end = System.nanoseconds &+ patience
    while true {
      let state = lt_stack_state(capture)
      if lt_stack_is_taken(state) != 0 || System.nanoseconds >= end { return }
      // The state is the first field.
      System.wait(on: capture, while: state)
    }
  }
}

extension StackCapture: Unreflected {}
