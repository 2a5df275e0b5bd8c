private import CNodeHost
import LoopTransactions

/// Leads from functions and promises, which any thread may hold, to their host.
///
/// @unchecked: `host` is accessed on the loop's thread only.
final class NodeLink: @unchecked Sendable {
  let port: LoopPort
  private let thread = lt_node_thread()
  // Nil once the environment has ended. Loop only.
  weak var host: NodeHost?

  init(port: LoopPort) { self.port = port }

  /// Returns the host.
  ///
  /// Call on the loop. Traps on another thread.
  ///
  /// - Throws: An error if the environment has ended.
  func usableHost(_ operation: StaticString) throws(NodeError) -> NodeHost {
    if lt_node_thread() != thread {
      fatalError("\(operation): the caller is not on the environment's thread; use NodeHost.port")
    }
    guard let host, !host.isEnding else { throw .environmentEnded }
    return host
  }

  /// Calls `body` with the host, on the loop, unless the environment ends before.
  func post(_ body: @escaping @Sendable (NodeHost) -> Void) {
    // `try?`: after the end there is no JavaScript that could notice.
    try? port.post { [self] in
      if let host, !host.isEnding { body(host) }
    }
  }
}
