import LoopTransactions

/// How the ticks of a measured loop are observed.
enum LoopObservation {
  case none
  /// By `EventLoop.tickHandler`.
  case reported
  /// By a `LoopTrace`.
  case traced

  /// The name of the peer `lt` with this observation.
  var peerName: String {
    switch self {
    case .none: "lt"
    case .reported: "lt.reported"
    case .traced: "lt.traced"
    }
  }

  /// The summary of a peer, with this observation added to `summary`.
  func describing(_ summary: String) -> String {
    switch self {
    case .none: summary
    case .reported: "lt with a tickHandler"
    case .traced: "lt while a LoopTrace runs"
    }
  }

  /// Calls `body` while `loop` is observed.
  func observing(_ loop: EventLoop, _ body: () throws(PeerError) -> Void) throws(PeerError) {
    switch self {
    case .none: try body()
    case .reported:
      var pieces = 0
      loop.tickHandler = { pieces += $0.count(of: .post) }
      defer { loop.tickHandler = nil }
      try body()
    case .traced:
      let trace: LoopTrace
      do { trace = try LoopTrace() } catch { throw PeerError("\(error)") }
      defer { trace.stop() }
      try body()
    }
  }
}
