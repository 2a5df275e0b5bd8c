/// The life of a connection: what each side has finished, and the next step.
///
/// Invariant: a closed connection stays closed, and a finished direction stays
/// finished.
struct ConnectionState: Hashable {
  enum Stage {
    case open
    /// `close()` was called; the queued bytes are still being sent.
    case closing
    case closed
  }

  /// The sending direction.
  enum Sending {
    case open
    /// `finishWriting()` was called; the queued bytes are still being sent.
    case finishing
    case shuttingDown
    case finished
  }

  /// The step that the connection must take.
  enum Step {
    case none
    case shutDown
    case close
  }

  private(set) var stage = Stage.open
  private(set) var sending = Sending.open
  /// Whether the peer has finished sending.
  private(set) var hasEnded = false

  var takesWrites: Bool { stage == .open && sending == .open }

  var takesReads: Bool { stage == .open && !hasEnded }

  mutating func peerDidEnd() { hasEnded = true }

  mutating func finishWriting() { if takesWrites { sending = .finishing } }

  mutating func didShutDown() { if sending == .shuttingDown { sending = .finished } }

  mutating func startClosing() { if stage == .open { stage = .closing } }

  mutating func close() { stage = .closed }

  /// Returns the next step of a connection with `queued` unsent bytes. The
  /// caller takes it at once, and calls `close()` if it is `close`.
  mutating func next(queued: Int) -> Step {
    guard queued == 0 else { return .none }
    switch stage {
    case .closed: return .none
    case .closing: return .close
    case .open: break
    }
    switch sending {
    case .open, .shuttingDown: return .none
    case .finishing:
      sending = .shuttingDown
      return .shutDown
    case .finished: return hasEnded ? .close : .none
    }
  }
}
