private import CNodeHost
public import LoopTransactions
import Synchronization

/// Runs a loop on the loop of Node.js, in an addon.
///
/// The host adopts the libuv loop of a JavaScript environment. Transactions, posts and
/// timers run in Node's own ticks, on its thread, and an idle host costs nothing. On
/// the main thread, `@MainActor` code and `DispatchQueue.main` run there, too. A dynamic
/// library with this function is an addon:
///
/// ```swift
/// @c(napi_register_module_v1)
/// public func registerAddon(
///   _ environment: OpaquePointer,
///   _ exports: OpaquePointer
/// ) -> OpaquePointer? {
///   NodeHost.register(environment, exports) { host in
///     let stats = RequestStats(on: host.loop)
///     try host.export("record") { arguments in
///       stats.record(try arguments.string(0), try arguments.number(1))
///       return .undefined
///     }
/// ```
///
/// Node exits when nothing is pending: no handle of its own, no unsettled `NodePromise`,
/// and no work of the loop. The host sets the loop's `waitsForPosts` while a promise is
/// unsettled. An error that a transaction throws is an `uncaughtException`.
///
/// Each environment that loads the addon has a host of its own, on its own thread. A
/// worker thread may load the addon while the main thread has loaded it. There,
/// `@MainActor` code runs on the main thread.
///
/// When an environment ends, the tasks of `exportAsync` are cancelled, the loop performs
/// its accepted work and is closed, and then everything that was exported is released.
/// JavaScript cannot run any more, so `NodeFunction.call` throws. Node does not do this in
/// `process.exit()` of the main thread, which ends the process at once.
///
/// See also: node-addon-api serves the same purpose for C++.
public final class NodeHost {
  /// The loop, which is Node's. Do not close it.
  public let loop: EventLoop
  /// The port of the loop, for other threads.
  public let port: LoopPort

  let environment: OpaquePointer
  let link: NodeLink
  // Set while the environment ends.
  var isEnding = false
  var references: [Int: OpaquePointer] = [:]
  var promises: [Int: OpenPromise] = [:]
  var settled: [Settlement] = []
  var exports: [ExportedFunction] = []
  private var exportObject: OpaquePointer?
  private var asyncContext: OpaquePointer?
  private var endHandlers: [() -> Void] = []
  private var lastNumber = 0
  private var unsettled = 0
  private let isOnFirstThread: Bool

  /// A promise that is not settled, or that Swift code still holds.
  struct OpenPromise {
    /// Nil once the promise is settled.
    var deferred: OpaquePointer?
    /// Nil once no Swift code holds the promise.
    var reference: OpaquePointer?
    /// The task that is going to settle it.
    var task: Task<Void, Never>?
  }

  /// A promise and its result.
  struct Settlement {
    let number: Int
    let result: Result<NodeValue, NodeError>
  }

  /// Makes a host for an environment, and passes it to `body`, which exports functions.
  ///
  /// Call in `napi_register_module_v1`, and return the result. If `body` throws or the
  /// host cannot be made, `require` throws the error. `body` is called once for each
  /// environment.
  ///
  /// - Parameters:
  ///   - environment: The `napi_env`.
  ///   - exports: The object that `require` returns.
  public static func register(
    _ environment: OpaquePointer,
    _ exports: OpaquePointer,
    _ body: (NodeHost) throws -> Void
  ) -> OpaquePointer? {
    do {
      let host = try NodeHost(environment)
      host.exportObject = exports
      defer { host.exportObject = nil }
      do { try body(host) } catch {
        host.end()
        throw error
      }
      return exports
    } catch {
      throwToJavaScript(NodeError(error), environment)
      return nil
    }
  }

  private init(_ environment: OpaquePointer) throws {
    // First, because Node unloads an addon that it could not load.
    guard lt_node_pin() != 0 else {
      throw NodeError("the addon cannot be kept in memory", code: "ERR_CANNOT_PIN")
    }
    guard lt_node_shares_libuv() != 0 else {
      throw NodeError(
        "the addon has its own libuv; link it without libuv, so that it uses Node's",
        code: "ERR_SECOND_LIBUV"
      )
    }
    let isFirst = lt_node_is_first_thread() != 0
    guard isFirst || MainHosts.areOpen else {
      throw NodeError(
        "load the addon on the main thread before a worker thread loads it",
        code: "ERR_MAIN_THREAD_FIRST"
      )
    }
    var address: OpaquePointer?
    try check(lt_napi_get_uv_event_loop(environment, &address), environment)
    guard let address else { throw NodeError("Node has no event loop", code: "ERR_NO_LOOP") }
    loop = try EventLoop(adopting: UnsafeMutableRawPointer(address))
    port = loop.port
    self.environment = environment
    isOnFirstThread = isFirst
    link = NodeLink(port: port)
    link.host = self
    if isFirst { MainHosts.add() }
    do { try begin() } catch {
      end()
      throw error
    }
  }
}

extension NodeHost {
  /// Calls `body` when the environment ends, after the tasks were cancelled and before the
  /// loop performs its last work.
  ///
  /// Call on the environment's thread. The handlers are called in the order added.
  public func whenEnvironmentEnds(_ body: @escaping () -> Void) { endHandlers.append(body) }

  /// The exported object, while it is filled.
  func exportsObject(_ operation: StaticString) -> OpaquePointer {
    guard let exportObject else {
      fatalError("\(operation): must be called in the closure of NodeHost.register")
    }
    return exportObject
  }

  func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  func promiseWasMade() { setUnsettled(unsettled + 1) }

  func promiseWasSettled() { setUnsettled(unsettled - 1) }

  /// Calls `body` as Node calls a callback: the ticks and microtasks that it queues run
  /// at its end, unless JavaScript called the addon.
  func inCallback<Result>(
    _ body: () throws(NodeError) -> Result
  ) throws(NodeError) -> Result {
    var handles: OpaquePointer?
    try check(lt_napi_open_handle_scope(environment, &handles), environment)
    defer { lt_napi_close_handle_scope(environment, handles) }
    var scope: OpaquePointer?
    try check(
      lt_napi_open_callback_scope(environment, nil, asyncContext, &scope),
      environment
    )
    defer { lt_napi_close_callback_scope(environment, scope) }
    return try body()
  }

  /// Makes `error` an `uncaughtException`.
  func report(_ error: NodeError) {
    // `try?`: fails only if JavaScript cannot run any more.
    try? inCallback { () throws(NodeError) in
      _ = lt_napi_fatal_exception(environment, try make(error))
    }
  }

  private func setUnsettled(_ count: Int) {
    unsettled = count
    loop.waitsForPosts = count > 0
  }

  private func begin() throws {
    let name = try makeString("LoopTransactions", environment)
    try check(lt_napi_async_init(environment, nil, name, &asyncContext), environment)
    loop.errorHandler = { [weak self] in self?.report(NodeError($0.error)) }
    if isOnFirstThread { try serveMainQueue() }
    try check(
      lt_napi_add_env_cleanup_hook(
        environment,
        environmentWillEnd,
        Unmanaged.passRetained(self).toOpaque()
      ),
      environment
    )
  }

  private func serveMainQueue() throws {
    do {
      try MainQueueBridge(on: loop).keepsLoopAlive = false
    } catch MainQueueBridge.SetupError.alreadyServed {
      // By this addon's host of another `require`.
    } catch MainQueueBridge.SetupError.system(let error) where error.name == "EEXIST" {
      // By another addon, whose handle polls the queue's descriptor.
    }
  }

  /// Closes the loop, and releases everything that was exported.
  fileprivate func end() {
    guard !isEnding else { return }
    isEnding = true
    for promise in promises.values { promise.task?.cancel() }
    for handler in endHandlers { handler() }
    endHandlers = []
    // `try?`: an adopted loop is closed whatever handles it has.
    try? loop.close()
    link.host = nil
    // Released last, because the loop's work may use them. Node frees the references.
    (promises, references, settled) = ([:], [:], [])
    if let asyncContext { lt_napi_async_destroy(environment, asyncContext) }
    if isOnFirstThread { MainHosts.remove() }
  }
}

/// The number of open hosts on the process's first thread, which serve the main queue.
private enum MainHosts {
  private static let count = Atomic(0)

  // Relaxed: Node starts a worker thread after the store.
  static var areOpen: Bool { count.load(ordering: .relaxed) > 0 }

  static func add() { count.add(1, ordering: .relaxed) }

  static func remove() { count.subtract(1, ordering: .relaxed) }
}

private func environmentWillEnd(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  let host = Unmanaged<NodeHost>.fromOpaque(context).takeRetainedValue()
  host.end()
  // Not before: after a failed `register`, JavaScript may still have the functions.
  host.exports = []
}
