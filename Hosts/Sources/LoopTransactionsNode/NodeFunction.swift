private import CNodeHost

/// A function of JavaScript.
///
/// Any thread may hold and release it. Call it on the environment's thread; other
/// threads post the call to `NodeHost.port`.
///
/// Holding a function does not keep Node running.
public final class NodeFunction: Sendable {
  let link: NodeLink
  let number: Int

  init(link: NodeLink, number: Int) {
    self.link = link
    self.number = number
  }

  deinit {
    let number = number
    link.post { $0.release(number) }
  }

  /// Calls the function and returns its result.
  ///
  /// Call on the environment's thread. Outside of a call from JavaScript, the ticks
  /// and microtasks that the function has queued run before this returns.
  ///
  /// - Throws: A `NodeError` with the exception of the function. Also if the
  ///   environment has ended, or if a value cannot be copied.
  @discardableResult
  public func call(_ arguments: [NodeValue] = []) throws(NodeError) -> NodeValue {
    try link.usableHost("NodeFunction.call").call(self, arguments)
  }

  /// Calls the function. Its exception is an `uncaughtException` of the process.
  ///
  /// Call on the environment's thread. Does nothing once the environment has ended.
  public func notify(_ arguments: [NodeValue] = []) {
    // `try?`: fails only if the environment has ended.
    guard let host = try? link.usableHost("NodeFunction.notify") else { return }
    do { _ = try host.call(self, arguments) } catch { host.report(error) }
  }
}
