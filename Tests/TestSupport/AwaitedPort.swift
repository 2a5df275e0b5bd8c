package import LoopTransactions

extension EventLoop {
  /// The loop's port, for which its runs wait while anyone holds it.
  package var awaitedPort: LoopPort {
    waitsForPosts = true
    return port
  }
}
