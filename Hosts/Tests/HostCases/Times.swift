import Dispatch
import LoopTransactions

/// Durations in microseconds.
final class Times: @unchecked Sendable {
  // @unchecked: `values` is used on `queue` only.
  private var values: [Double] = []
  private let queue = DispatchQueue(label: "times")

  /// Adds the time since `start`.
  func add(from start: LoopClock.Instant) {
    let microseconds = start.duration(to: LoopClock.now) / .microseconds(1)
    queue.sync { values.append(microseconds) }
  }

  var count: Int { queue.sync { values.count } }

  var median: Double { value(at: 0.5) }
  var p90: Double { value(at: 0.9) }
  var p99: Double { value(at: 0.99) }
  var max: Double { value(at: 1) }

  /// The quantile of the values at `share`.
  private func value(at share: Double) -> Double {
    queue.sync {
      let index = Int((Double(values.count) * share).rounded(.up)) - 1
      return values.isEmpty ? .infinity : values.sorted()[Swift.max(0, index)]
    }
  }
}

/// Ends a host's run from a `@Sendable` closure that the host calls.
struct Stop: Sendable {
  // nonisolated(unsafe): used on the main thread only, where the host calls the
  // closure.
  private nonisolated(unsafe) let host: any TestedHost

  @MainActor
  init(_ host: any TestedHost) { self.host = host }

  func now() { MainActor.assumeIsolated { host.stop() } }
}

/// Counts a host's iterations and a loop's ticks between two calls.
final class Counts: @unchecked Sendable {
  // @unchecked: used on the main thread only, where the host makes its calls.
  private let host: any TestedHost
  private let loop: EventLoop?
  private var iterations = 0
  private var ticks: UInt64 = 0

  @MainActor
  init(_ host: any TestedHost, _ loop: EventLoop?) {
    self.host = host
    self.loop = loop
  }

  func begin() {
    MainActor.assumeIsolated { iterations = host.iterations }
    ticks = loop?.metrics.ticks ?? 0
  }

  func end() {
    MainActor.assumeIsolated { print("iterations \(host.iterations - iterations)") }
    if let loop { print("ticks \(loop.metrics.ticks - ticks)") }
  }
}

/// Starts threads that nothing joins.
enum Thread {
  static func start(_ body: @escaping @Sendable () -> Void) {
    // Uses a Dispatch thread, because it may block. A thread of the concurrency
    // pool must not block.
    DispatchQueue(label: "beside").async { body() }
  }
}

/// A transaction target that calls a closure.
final class Action {
  static let perform = Selector<Action>("perform") { $0.body() }
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }
}
