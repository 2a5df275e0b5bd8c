// An addon for Node.js: statistics of a server's requests.
//
// The server reports each request. However many it reports in a tick, its listener is called
// once. Percentiles are computed on a worker thread.
import LoopTransactions
import LoopTransactionsNode

/// The durations of the requests of one server, in milliseconds.
final class RequestStats {
  static let publish = Selector<RequestStats>("publish") { $0.tellListener() }

  let loop: EventLoop
  var listener: NodeFunction?
  private var durations: [String: [Double]] = [:]
  private var changed: Set<String> = []

  init(on loop: EventLoop) { self.loop = loop }

  func record(_ route: String, _ milliseconds: Double) {
    durations[route, default: []].append(milliseconds)
    changed.insert(route)
    // Performed once in this tick, before Node waits for events.
    loop.commit(self, Self.publish)
  }

  private func tellListener() {
    let routes = changed.sorted()
    changed = []
    listener?.notify([.array(routes.map { .string($0) })])
  }

  // snippet.summarize
  /// Settles `promise` with percentiles, which a worker computes.
  func summarize(_ route: String, for promise: NodePromise) {
    let samples = durations[route] ?? []
    let transaction = AsyncTransaction(on: loop, name: "summary")
    transaction.add("percentiles") { _ in
      try summary(of: samples, of: route)
    } completion: { outcome in
      promise.settle(outcome)
    }
    transaction.commit()
  }
  // snippet.end
}

struct NoRequests: Error, CustomStringConvertible {
  let route: String

  var description: String { "no request of \(route) was recorded" }
}

/// Runs on a worker.
func summary(of samples: [Double], of route: String) throws -> NodeValue {
  let sorted = samples.sorted()
  guard let slowest = sorted.last else { throw NoRequests(route: route) }
  func percentile(_ share: Double) -> Double { sorted[Int(share * Double(sorted.count - 1))] }
  return [
    "count": .number(Double(sorted.count)),
    "p50": .number(percentile(0.5)),
    "p99": .number(percentile(0.99)),
    "max": .number(slowest),
  ]
}

/// Node calls this once in each environment that loads the addon.
@c(napi_register_module_v1)
public func registerAddon(
  _ environment: OpaquePointer,
  _ exports: OpaquePointer
) -> OpaquePointer? {
  NodeHost.register(environment, exports) { host in
    let stats = RequestStats(on: host.loop)
    try host.export("record") { arguments in
      stats.record(try arguments.string(0), try arguments.number(1))
      return .undefined
    }
    try stats.exportReading(on: host)
  }
}

extension RequestStats {
  fileprivate func exportReading(on host: NodeHost) throws {
    try host.export("listen") { arguments in
      self.listener = try arguments.function(0)
      return .undefined
    }
    try host.export("summary") { arguments in
      let promise = try host.makePromise()
      self.summarize(try arguments.string(0), for: promise)
      return .promise(promise)
    }
  }
}
