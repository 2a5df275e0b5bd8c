extension EventLoop {
  /// The interface of this loop for other threads.
  ///
  /// Call on the loop. All holders share one port. Holding the port does not
  /// change when `run()` returns. Set `waitsForPosts` if other threads are
  /// going to post and the loop has nothing else to wait for.
  public var port: LoopPort {
    checkUsable("EventLoop.port")
    if let port = currentPort { return port }
    let port = LoopPort(core: core)
    currentPort = port
    portHolders += 1
    settleWaiting()
    return port
  }

  /// Whether `run()` waits for posts while anyone holds the loop's port, even
  /// if there is nothing else to wait for. Defaults to false.
  ///
  /// Call on the loop. Actors pinned to the loop and tasks that prefer it hold
  /// its port too. A waiting run ends when the last holder releases the port,
  /// on any thread, or when the loop is stopped. In both cases, accepted posts
  /// run.
  ///
  /// Corresponds to libuv's `uv_ref` and `uv_unref`.
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

  /// Makes runs wait for a wake until `endHold()` has been called once for each
  /// `hold()`. Used for unfinished transactions, embeddings and name lookups.
  package func hold() {
    holds += 1
    settleWaiting()
  }

  /// Undoes one `hold()`.
  package func endHold() {
    holds -= 1
    settleWaiting()
  }

  /// Called when the last holder has released the port.
  func portWasReleased() {
    portHolders -= 1
    settleWaiting()
  }

  private func settleWaiting() {
    if wasTornDown { return }
    wakeSource.keepsLoopAlive(holds > 0 || (isWaitingForPosts && portHolders > 0))
  }
}
