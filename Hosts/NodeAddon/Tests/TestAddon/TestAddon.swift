// C9. The addon of addon.test.js.
import Glibc
import LoopTransactions
import LoopTransactionsIO
import LoopTransactionsNode

/// Node calls this once in each environment that loads the addon.
@c(napi_register_module_v1)
public func registerAddon(
  _ environment: OpaquePointer,
  _ exports: OpaquePointer
) -> OpaquePointer? {
  NodeHost.register(environment, exports) { host in
    try exportValues(on: host)
    try exportTransactions(on: host)
    try exportPromises(on: host)
    try exportSockets(on: host)
    try exportFloods(on: host)
    try exportPlaces(on: host)
    try exportLeftovers(on: host)
    if getenv("TEST_ADDON_FAILS") != nil { throw NodeError("the addon failed") }
  }
}

/// Values and errors.
func exportValues(on host: NodeHost) throws {
  try host.export("echo") { $0[0] }
  try host.export("count") { .number(Double($0.values.count)) }
  try host.export("string") { .string(try $0.string(0)) }
  try host.export("fail") { arguments in
    throw NodeError(try arguments.string(0), name: "RangeError", code: "ERR_TEST")
  }
  try host.export("call") { try $0.function(0).call(Array($0.values.dropFirst())) }
  try host.export("keep") { arguments in
    let function = try arguments.function(0)
    keptFunction.withLock { $0 = function }
    return .undefined
  }
  try host.export("kept") { _ in keptFunction.withLock { $0 }.map { .function($0) } ?? .null }
  // The errors that calls of a function throw.
  try host.export("catching") { arguments in
    do { return try arguments.function(0).call() } catch let error as NodeError {
      return ["name": .string(error.name), "message": .string(error.message)]
    }
  }
}

/// The last function that an environment has passed to `keep`.
let keptFunction = Locked<NodeFunction?>(nil)

/// A target whose transaction calls JavaScript.
final class Commits {
  static let tell = Selector<Commits>("tell") { try $0.performed() }

  private let listener: NodeFunction
  private let fails: Bool
  var committed = 0
  private var performances = 0

  init(listener: NodeFunction, fails: Bool) {
    self.listener = listener
    self.fails = fails
  }

  private func performed() throws {
    performances += 1
    listener.notify([.number(Double(performances)), .number(Double(committed))])
    if fails { throw NodeError("a transaction failed") }
  }
}

func exportTransactions(on host: NodeHost) throws {
  var targets: [Commits] = []
  host.whenEnvironmentEnds { targets = [] }
  try host.export("makeTarget") { arguments in
    let fails = arguments[1].boolean == true
    targets.append(Commits(listener: try arguments.function(0), fails: fails))
    return .number(Double(targets.count - 1))
  }
  try host.export("commit") { arguments in
    let target = targets[Int(try arguments.number(0))]
    target.committed += 1
    host.loop.commit(target, Commits.tell)
    return .undefined
  }
  try host.export("ticks") { _ in .number(Double(host.loop.metrics.ticks)) }
}

func exportPromises(on host: NodeHost) throws {
  let port = host.port
  try host.exportAsync("sumLater") { arguments in
    .number(arguments.values.reduce(0) { $0 + ($1.number ?? 0) })
  }
  try host.exportAsync("failLater") { throw NodeError(try $0.string(0), name: "TypeError") }
  try host.exportAsync("cancelLater") { _ in throw CancellationError() }
  try host.exportAsync("mainActor") { @MainActor _ in
    var hops = 0
    for _ in 0..<1000 where await isOnLoop(port) { hops += 1 }
    MainActor.assertIsolated()
    return .number(Double(hops))
  }
  try host.exportAsync("pinned") { _ in
    let counter = PinnedCounter(on: port)
    for _ in 0..<1000 { await counter.add() }
    return .number(Double(await counter.onLoop))
  }
  // Ten operations in a transaction. The results are in the order added, and their
  // completions run on Node's thread.
  try host.export("operations") { _ in
    let promise = try host.makePromise()
    let transaction = AsyncTransaction(on: host.loop)
    var results: [NodeValue] = []
    for number in 0..<10 {
      transaction.add { _ in
        (number, port.isIsolatingCurrentContext() == true)
      } completion: { outcome in
        guard case .value((let number, let ranOnLoop)) = outcome else { return }
        results.append([
          "number": .number(Double(number)), "ran on the loop": .boolean(ranOnLoop),
          "completed on the loop": .boolean(port.isIsolatingCurrentContext() == true),
        ])
      }
    }
    transaction.whenComplete { _ in promise.resolve(.array(results)) }
    transaction.commit()
    return .promise(promise)
  }
  try host.export("cancelledOperation") { _ in
    let promise = try host.makePromise()
    let transaction = AsyncTransaction(on: host.loop)
    transaction.add { _ in
      NodeValue.null
    } completion: {
      promise.settle($0)
    }
    transaction.commit()
    transaction.cancel()
    return .promise(promise)
  }
  try host.export("forgotten") { _ in .promise(try host.makePromise()) }
  // Promises that are settled in one tick, in the given order.
  try host.export("settledTogether") { arguments in
    let promises = try (0..<3).map { _ in try host.makePromise() }
    for index in [2, 0, 1] {
      promises[index].resolve(.number(Double(index)))
      promises[index].reject(CancellationError())
    }
    return .array(promises.map { .promise($0) })
  }
}

@MainActor
func isOnLoop(_ port: LoopPort) async -> Bool {
  await Task.detached {}.value
  return port.isIsolatingCurrentContext() == true
}

actor PinnedCounter {
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }
  private(set) var onLoop = 0

  init(on port: LoopPort) { self.port = port }

  func add() { if port.isIsolatingCurrentContext() == true { onLoop += 1 } }
}

/// A server of LoopTransactionsIO, which sends back what it receives.
func exportSockets(on host: NodeHost) throws {
  var listener: Listener?
  try host.export("serve") { _ in
    let new = try host.loop.listen(on: .tcp(host: "127.0.0.1", port: 0)) { connection in
      connection.onRead = { connection.write($0) }
    }
    listener = new
    guard case .tcp(_, let port) = new.endpoint else { return .null }
    return .number(Double(port))
  }
  try host.export("stopServing") { _ in
    listener?.close()
    return .undefined
  }
}
