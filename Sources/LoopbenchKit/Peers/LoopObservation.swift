import LoopTransactions

/// How the ticks of a measured loop are observed.
enum LoopObservation {
  case none
  /// By `EventLoop.tickHandler`.
  case reported
  /// By `EventLoop.recordsLatencies`.
  case timed
  /// By a `LoopWatchdog`.
  case watched
  /// By a `LoopTrace`.
  case traced

  /// The name of the peer `lt` with this observation.
  var peerName: String {
    switch self {
    case .none: "lt"
    case .reported: "lt.reported"
    case .timed: "lt.timed"
    case .watched: "lt.watched"
    case .traced: "lt.traced"
    }
  }

  /// The summary of a peer, with this observation added to `summary`.
  func describing(_ summary: String) -> String {
    switch self {
    case .none: summary
    case .reported: "lt with a tickHandler"
    case .timed: "lt that records its latencies"
    case .watched: "lt with a LoopWatchdog"
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
    case .timed:
      loop.recordsLatencies = true
      defer { loop.recordsLatencies = false }
      try body()
    case .watched:
      // No tick of a scenario takes a minute.
      do { loop.watchdog = try LoopWatchdog(threshold: .seconds(60)) { _ in } } catch {
        throw PeerError("\(error)")
      }
      defer { loop.watchdog = nil }
      try body()
    case .traced:
      let trace: LoopTrace
      do { trace = try LoopTrace() } catch { throw PeerError("\(error)") }
      defer { trace.stop() }
      try body()
    }
  }
}
