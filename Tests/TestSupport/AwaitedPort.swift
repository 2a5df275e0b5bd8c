package import LoopTransactions

extension EventLoop {
  /// The loop's port. While it is retained, the loop's runs wait for posts.
  package var awaitedPort: LoopPort {
    waitsForPosts = true
    return port
  }
}
