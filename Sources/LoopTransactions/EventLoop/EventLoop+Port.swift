extension EventLoop {
  /// The side of this loop that other threads may use.
  ///
  /// Call on the loop. Every holder shares one port. Holding it does not change when
  /// `run()` returns: set `waitsForPosts` where the loop has nothing else to wait for
  /// and other threads are going to post.
  public var port: LoopPort {
    checkUsable("EventLoop.port")
    if let port = currentPort { return port }
    let port = LoopPort(core: core)
    currentPort = port
    portHolders += 1
    settleWaiting()
    return port
  }

  /// Whether `run()` waits for posts while anyone holds the loop's port, even if
  /// nothing else is left to wait for. False unless set.
  ///
  /// Call on the loop. Actors that are pinned to the loop and tasks that prefer it
  /// hold its port, too. A run that waits ends when the last holder releases the
  /// port, on any thread, or by `stop()`. A post that was accepted runs either way.
  ///
  /// After libuv's `uv_ref` and `uv_unref`.
  public var waitsForPosts: Bool {
    get {
      checkThread("EventLoop.waitsForPosts")
      return isWaitingForPosts
    }
    set {
      checkUsable("EventLoop.waitsForPosts")
      isWaitingForPosts = newValue
      settleWaiting()
    }
  }

  /// Has runs wait for a wake, until as many calls of `endHold()`. For unfinished
  /// transactions and embeddings.
  func hold() {
    holds += 1
    settleWaiting()
  }

  /// Undoes one `hold()`.
  func endHold() {
    holds -= 1
    settleWaiting()
  }

  /// A port that was held by somebody is gone.
  func portWasReleased() {
    portHolders -= 1
    settleWaiting()
  }

  private func settleWaiting() {
    if wasTornDown { return }
    wakeSource.keepsLoopAlive(holds > 0 || (isWaitingForPosts && portHolders > 0))
  }
}
