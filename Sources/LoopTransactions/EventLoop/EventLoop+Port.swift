extension EventLoop {
  /// The side of this loop that other threads may use.
  ///
  /// Call on the loop. Every holder shares one port; while there is one, `run()`
  /// waits for posts even if nothing else is left.
  public var port: LoopPort {
    checkUsable("EventLoop.port")
    if let port = currentPort { return port }
    let port = LoopPort(core: core)
    currentPort = port
    portHolders += 1
    wakeSource.keepsLoopAlive(true)
    return port
  }

  /// A port that was held by somebody is gone.
  func portWasDropped() {
    portHolders -= 1
    if portHolders == 0 { wakeSource.keepsLoopAlive(false) }
  }
}
