// The functions that an embedding uses on its loop.
extension EventLoop {
  /// True if no code of the loop is running. The host may then be about to
  /// wait.
  var isBetweenTurns: Bool {
    switch state {
    case .idle: !isCalledBack
    case .running, .leaving, .closing, .closed: false
    }
  }

  /// Traps unless an embedding may begin or end.
  func checkMayEmbed() {
    if isBetweenTurns { return }
    trap("Embedding: must not be created or cancelled inside a callback of its loop")
  }

  /// Makes the loop wait for posts. Otherwise libuv would report a loop that
  /// has nothing to wait for as due, and would not poll.
  func beginEmbedding() {
    hold()
    settleForHost()
  }

  /// Reverts `beginEmbedding()`.
  func endEmbedding() {
    endHold()
    publishHostsWork(nil)
    mainQueueNotice?.look(inHost: true)
    if didAnnounceSleep { core.inbox.awake() }
    didAnnounceSleep = false
    // Posts may have called the host's own wake, and the host no longer checks
    // for such posts.
    if hasPendingWork || core.inbox.isFilled || core.inbox.hasRequest { arm() }
    // The owner of an adopted loop may now wait on libuv's descriptor.
    if !ownsLoop { settleForHost() }
  }

  /// How long the host may wait.
  var timeoutForHost: Duration? {
    if core.isForked { trapInChild() }
    checkNotTornDown("Embedding.nextTimeout")
    // Posts made before the loop announced that it sleeps send no wake.
    if core.inbox.isFilled || core.inbox.hasRequest { arm() }
    // A cancelled timer would make the descriptor readable.
    if deadlines.isStale { setDeadline() }
    if let virtualTime, !isArmed { return virtualTime.timeout }
    // libuv's clock does not advance between turns.
    uv.updateTime()
    let timeout = uv.backendTimeout
    return timeout < 0 ? nil : .milliseconds(Int64(timeout))
  }

  /// Makes a tick that does not block, and prepares for posts.
  func turnForHost() { stepForHost() }
}

extension VirtualTime {
  /// The time until the first timer is due, or nil if there is none.
  fileprivate var timeout: Duration? {
    nextDeadline.map { .nanoseconds(Int64(clamping: $0 > nanoseconds ? $0 - nanoseconds : 0)) }
  }
}
