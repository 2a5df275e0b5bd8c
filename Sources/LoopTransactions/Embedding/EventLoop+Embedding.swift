// What an embedding asks of its loop.
extension EventLoop {
  /// Whether nothing of the loop is under way, and its host may be about to wait.
  var isBetweenTurns: Bool {
    switch state {
    case .idle: !isCalledBack
    case .running, .leaving, .closing, .closed: false
    }
  }

  /// Traps unless a host may begin or end to run the loop by turns.
  func checkMayEmbed() {
    if isBetweenTurns { return }
    trap("Embedding: the loop is running; embed it, and end that, outside of its callbacks")
  }

  /// Keeps the loop ready for posts: a loop without anything to wait for would say
  /// that it is due, and would not poll.
  func beginEmbedding() {
    hold()
    settleForHost()
  }

  /// Undoes `beginEmbedding()`.
  func endEmbedding() {
    endHold()
    if didAnnounceSleep { core.inbox.awake() }
    didAnnounceSleep = false
    // What came by the host's own wake has nobody who looks any more.
    if hasPendingWork || core.inbox.isFilled || core.inbox.hasRequest { arm() }
    // The owner of an adopted loop may wait for libuv's descriptor at once.
    if !ownsLoop { settleForHost() }
  }

  /// How long the host may wait.
  var timeoutForHost: Duration? {
    if core.isForked { trapInChild() }
    checkNotTornDown("Embedding.nextTimeout")
    // What came before the loop said that it sleeps wakes nobody.
    if core.inbox.isFilled || core.inbox.hasRequest { arm() }
    if let virtualTime, !isArmed { return virtualTime.timeout }
    // libuv's own time stands still between turns.
    uv.updateTime()
    let timeout = uv.backendTimeout
    return timeout < 0 ? nil : .milliseconds(Int64(timeout))
  }

  /// Makes a tick that does not block, and gets ready for posts.
  func turnForHost() {
    step()
    // A callback may have closed an adopted loop, or ended the embedding's use.
    guard state == .idle, !wasTornDown, !core.isForked else { return }
    settleForHost()
  }
}

extension VirtualTime {
  /// How long until the first timer is due; nil if there is none.
  fileprivate var timeout: Duration? {
    nextDeadline.map { .nanoseconds(Int64(clamping: $0 > nanoseconds ? $0 - nanoseconds : 0)) }
  }
}
