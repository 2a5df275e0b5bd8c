import LoopTransactions

/// A timeout of a connection. Its timer exists only while it is needed, and is
/// not restarted by each read or write.
struct Watchdog {
  var limit: Duration?
  private var timer: LoopTimer?

  mutating func setLimit(_ limit: Duration?, _ name: StaticString) {
    if let limit { require(limit > .zero, "\(name): must be positive, got \(limit)") }
    self.limit = limit
  }

  /// Calls `check` after `delay`, instead of the check that waits, if any.
  mutating func start(_ delay: Duration, on loop: EventLoop, _ check: @escaping () -> Void) {
    stop()
    timer = loop.addTimer(after: delay) { _ in check() }
  }

  mutating func stop() { if let timer = timer.take() { timer.cancel() } }
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
    get { on("Connection.idleTimeout").idleWatch.limit }
    set {
      on("Connection.idleTimeout").idleWatch.setLimit(newValue, "Connection.idleTimeout")
      guard newValue != nil, state.stage != .closed else { return idleWatch.stop() }
      noteActivity()
      checkIdle()
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
    get { on("Connection.writeTimeout").progressWatch.limit }
    set {
      on("Connection.writeTimeout").progressWatch.setLimit(newValue, "Connection.writeTimeout")
      if inFlight > 0 { watchProgress() }
    }
  }

  func noteActivity() { if idleWatch.limit != nil { lastActivity = io.loop.now } }

  private func checkIdle() {
    guard let limit = idleWatch.limit, let lastActivity else { return }
    let rest = limit - lastActivity.duration(to: io.loop.now)
    if rest <= .zero { return fail(ErrorCode.timedOut, "Connection.idleTimeout of \(limit)") }
    idleWatch.start(rest, on: io.loop) { [unowned self] in checkIdle() }
  }

  /// Starts to check that queued bytes are sent.
  func watchProgress() {
    guard let limit = progressWatch.limit else { return progressWatch.stop() }
    let before = sentBytes
    progressWatch.start(limit, on: io.loop) { [unowned self] in
      if sentBytes > before { return watchProgress() }
      fail(ErrorCode.timedOut, "Connection.writeTimeout of \(limit)")
    }
  }

  /// The number of bytes that the system has accepted.
  private var sentBytes: Int { sent + acceptedInFlight }
}
