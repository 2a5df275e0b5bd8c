/// The directions of a connection that are finished, and its next step.
///
/// Invariant: a closed connection stays closed, and a finished direction stays
/// finished.
package struct ConnectionState: Hashable {
  /// `closing`: `close()` was called; the queued bytes are still being sent.
  package enum Stage { case open, closing, closed }

  /// The sending direction. `finishing`: `finishWriting()` was called; the queued
  /// bytes are still being sent.
  package enum Sending { case open, finishing, shuttingDown, finished }

  /// The step that the connection must take.
  package enum Step { case none, shutDown, close }

  package private(set) var stage = Stage.open
  package private(set) var sending = Sending.open
  /// Whether the peer has finished sending.
  package private(set) var hasEnded = false

  package init() {}

  package var takesWrites: Bool { stage == .open && sending == .open }

  package var takesReads: Bool { stage == .open && !hasEnded }

  package mutating func peerDidEnd() { hasEnded = true }

  package mutating func finishWriting() { if takesWrites { sending = .finishing } }

  package mutating func didShutDown() { if sending == .shuttingDown { sending = .finished } }

  package mutating func startClosing() { if stage == .open { stage = .closing } }

  package mutating func close() { stage = .closed }

  /// Returns the next step of a connection with `queued` unsent bytes. The
  /// caller takes it at once, and calls `close()` if it is `close`.
  package mutating func next(queued: Int) -> Step {
    guard queued == 0 else { return .none }
    switch (stage, sending) {
    case (.closing, _): return .close
    case (.open, .finishing):
      sending = .shuttingDown
      return .shutDown
    case (.open, .finished): return hasEnded ? .close : .none
    case (.open, .open), (.open, .shuttingDown), (.closed, _): return .none
    }
  }
}
