import HostCases
import LoopTransactions

extension SDL {
  /// Another thread pushes the events, because SDL calls its timers on a thread that may
  /// itself be late. An event is due when it is pushed.
  func everyMillisecond(_ body: @escaping @Sendable (LoopClock.Instant) -> Bool) {
    let (call, isOver) = (call, Locked(false))
    pushEveryMillisecond { pushed in
      call {
        // The thread may push more events before it notices the end.
        if isOver.withLock({ $0 }) { return }
        if !body(pushed) { isOver.withLock { $0 = true } }
      }
      return !isOver.withLock { $0 }
    }
  }
}
