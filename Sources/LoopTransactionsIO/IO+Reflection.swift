import LoopTransactions

// The output of `dump`, debuggers and failed expectations. A mirror may be
// requested on any thread, so other threads do not see state of the loop's
// thread.

extension LoopIO: Unreflected {}
extension Chunk: Unreflected {}
extension Suspension: Unreflected {}

extension Connection: CustomReflectable {
  /// Shows the connection's addresses and state.
  public var customMirror: Mirror {
    guard core.isOnThread else { return Mirror(self, showing: []) }
    return Mirror(
      self,
      showing: [
        ("localEndpoint", localEndpoint as Any), ("remoteEndpoint", remoteEndpoint as Any),
        ("isOpen", isOpen), ("queuedBytes", queuedBytes),
      ]
    )
  }
}

extension Listener: CustomReflectable {
  /// Shows the listener's address and whether it accepts.
  public var customMirror: Mirror {
    let state: [(String, Any)] = io.core.isOnThread ? [("isAccepting", isAccepting)] : []
    return Mirror(self, showing: [("endpoint", endpoint)] + state)
  }
}

extension SharedBytes: CustomReflectable {
  /// Shows the number of bytes.
  public var customMirror: Mirror { Mirror(self, showing: [("count", count)]) }
}
