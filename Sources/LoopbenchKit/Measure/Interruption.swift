private import CLoopbench

/// What may end a run before its last round: a signal, or a time that is up.
///
/// The turn that is being measured is finished, and what was measured counts.
public struct Interruption: Sendable {
  private let begin: @Sendable (_ timeoutNs: UInt64) -> Void
  private let noted: @Sendable () -> Reason?

  /// Why a run ended early.
  public enum Reason: String, Sendable {
    /// Somebody asked it to end.
    case interrupted
    /// It took longer than it may.
    case timedOut
  }

  /// Makes one from two functions; tests bring their own.
  public init(
    begin: @escaping @Sendable (_ timeoutNs: UInt64) -> Void = { _ in },
    noted: @escaping @Sendable () -> Reason?
  ) {
    self.begin = begin
    self.noted = noted
  }

  /// Begins to watch; `timeoutNs` of 0 is none.
  public func watch(timeoutNs: UInt64) { begin(timeoutNs) }

  /// Why the run should end, once it should.
  public var reason: Reason? { noted() }

  /// Nothing ends it.
  public static let none = Interruption { nil }

  /// SIGINT, SIGTERM, SIGHUP and a timer. A second signal ends the process with 130; a
  /// turn that is not over 10 s after the timeout ends it with 124.
  public static let signals = Interruption(
    begin: { cl_interrupt_watch($0) },
    noted: {
      switch Int(cl_interrupt_noted()) {
      case cl_interrupt_signal: .interrupted
      case cl_interrupt_timeout: .timedOut
      default: nil
      }
    }
  )
}
