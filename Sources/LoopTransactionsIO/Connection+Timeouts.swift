import LoopTransactions

/// The timeouts of a connection. A timer exists only while it is needed, and is
/// not restarted by each read or write.
struct ConnectionTimeouts {
  var idleLimit: Duration?
  var writeLimit: Duration?
  var idleTimer: LoopTimer?
  var writeTimer: LoopTimer?
  /// The time of the last read or write. Kept only with an idle limit.
  var lastActivity: LoopClock.Instant?
  /// The number of bytes sent, without the write in flight.
  var sent = 0
  /// The number of bytes sent when the write timer was started.
  var sentAtStart = 0

  mutating func stopWatchingProgress() {
    if let timer = writeTimer.take() { timer.cancel() }
  }

  mutating func cancel() {
    stopWatchingProgress()
    idleTimer?.cancel()
    idleTimer = nil
  }
}

extension Connection {
  /// The time without any byte read or sent after which the connection closes
  /// with `ETIMEDOUT`. Nil, the default, means no limit.
  ///
  /// Set it to restart the time. A large write that waits for the socket counts
  /// when 256 KB of it, or the rest, have been sent.
  ///
  /// - Precondition: Positive.
  public var idleTimeout: Duration? {
    get { on("Connection.idleTimeout").timeouts.idleLimit }
    set {
      on("Connection.idleTimeout").checkPositive(newValue, "idleTimeout")
      timeouts.idleLimit = newValue
      timeouts.idleTimer?.cancel()
      timeouts.idleTimer = nil
      guard let newValue, state.stage != .closed else { return }
      noteActivity()
      startIdleTimer(newValue)
    }
  }

  /// The time without progress after which a connection with queued bytes
  /// closes with `ETIMEDOUT`. Nil, the default, means no limit.
  ///
  /// Progress is checked once in this time, so the connection may close up to
  /// this time later. Applies to the next write that waits for the socket.
  ///
  /// - Precondition: Positive.
  public var writeTimeout: Duration? {
    get { on("Connection.writeTimeout").timeouts.writeLimit }
    set {
      on("Connection.writeTimeout").checkPositive(newValue, "writeTimeout")
      timeouts.writeLimit = newValue
      if inFlight > 0 { watchProgress() }
    }
  }

  private func checkPositive(_ limit: Duration?, _ name: StaticString) {
    guard let limit else { return }
    require(limit > .zero, "Connection.\(name): must be positive, got \(limit)")
  }

  func noteActivity() {
    if timeouts.idleLimit != nil { timeouts.lastActivity = io.loop.now }
  }

  private func startIdleTimer(_ delay: Duration) {
    timeouts.idleTimer = io.loop.addTimer(after: delay) { [unowned self] _ in checkIdle() }
  }

  private func checkIdle() {
    guard let limit = timeouts.idleLimit, let last = timeouts.lastActivity else { return }
    let rest = limit - last.duration(to: io.loop.now)
    if rest > .zero { startIdleTimer(rest) } else { timeOut("Connection.idleTimeout of \(limit)") }
  }

  /// Starts to check that queued bytes are sent.
  func watchProgress() {
    timeouts.sentAtStart = sentBytes
    timeouts.stopWatchingProgress()
    guard let limit = timeouts.writeLimit else { return }
    timeouts.writeTimer = io.loop.addTimer(after: limit) { [unowned self] _ in checkProgress() }
  }

  private func checkProgress() {
    guard let limit = timeouts.writeLimit, inFlight > 0 else { return }
    if sentBytes != timeouts.sentAtStart { return watchProgress() }
    timeOut("Connection.writeTimeout of \(limit)")
  }

  private func timeOut(_ operation: String) { fail(ErrorCode.timedOut, operation) }

  /// The number of bytes that the system has accepted.
  private var sentBytes: Int {
    inFlight == 0 ? timeouts.sent : timeouts.sent + inFlight - stream.unsentBytes
  }
}
