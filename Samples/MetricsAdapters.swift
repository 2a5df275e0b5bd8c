// Passes the metrics of a loop on to Prometheus and swift-metrics, and its late ticks
// to swift-log.
// The end of the file stands for the two packages, with the few declarations that
// this program uses. In a program of your own, import Metrics and Logging instead.
//
// Prints:
//   posts: 3
//   looptransactions_posts_total{loop="main"} 3
//   looptransactions_scheduler_added_total{scheduler="pictures"} 0
//   ticks were timed: true
//   warning: a tick took long, held by post: true

import LoopTransactions

// snippet.metrics
/// Passes the metrics of a loop on to the backend of swift-metrics.
struct LoopMeters {
  private let port: LoopPort
  private let ticks, posts, performed: Counter
  private let lateness: Meter
  private var last = LoopMetrics()

  init(of port: LoopPort, called name: String) {
    let loop = [("loop", name)]
    self.port = port
    ticks = Counter(label: "looptransactions.ticks", dimensions: loop)
    posts = Counter(label: "looptransactions.posts", dimensions: loop)
    performed = Counter(
      label: "looptransactions.transactions.performed",
      dimensions: loop
    )
    lateness = Meter(
      label: "looptransactions.wake.lateness.p99",
      dimensions: loop
    )
  }

  /// Call this on any thread, for example every ten seconds.
  mutating func update() {
    let now = port.metrics
    ticks.increment(by: now.ticks - last.ticks)
    posts.increment(by: now.posts - last.posts)
    performed.increment(by: now.performed - last.performed)
    last = now
    guard let latencies = port.latencies else { return }
    let late = latencies.wakeLateness.value(atPercentile: 99)
    lateness.set(late / .seconds(1))
  }
}
// snippet.end

// snippet.timer
/// Passes the duration of each tick on, so that the backend's own histogram
/// has them.
@MainActor
func recordTicks(of loop: EventLoop, called name: String) -> Timer {
  let busy = Timer(
    label: "looptransactions.tick.busy",
    dimensions: [("loop", name)]
  )
  loop.tickHandler = { tick in
    busy.recordNanoseconds(Int64(tick.duration / .nanoseconds(1)))
  }
  return busy
}
// snippet.end

// snippet.log
@MainActor
func logTicks(
  of loop: EventLoop,
  longerThan limit: Duration,
  to logger: Logger
) {
  loop.tickHandler = { tick in
    guard tick.duration > limit else { return }
    let work = tick.longest.map { "\($0.work)" } ?? "unknown"
    logger.warning(
      "a tick took long",
      metadata: ["duration": "\(tick.duration)", "work": "\(work)"]
    )
  }
}
// snippet.end

// snippet.prometheus
func prometheusText(
  of loops: [(name: String, port: LoopPort)],
  _ schedulers: [(name: String, scheduler: OperationScheduler)]
) -> String {
  var text = PrometheusText()
  for (name, port) in loops {
    text.add(name, port.metrics, port.latencies)
  }
  for (name, scheduler) in schedulers {
    text.add(name, scheduler.metrics)
  }
  return text.description
}
// snippet.end

let loop = try EventLoop()
loop.recordsLatencies = true
var meters = LoopMeters(of: loop.port, called: "main")
let busy = recordTicks(of: loop, called: "main")
for _ in 0..<3 { loop.post {} }
loop.run()
meters.update()
print("posts:", Recorded.value("looptransactions.posts"))
let scheduler = OperationScheduler("pictures")
let text = prometheusText(of: [("main", loop.port)], [("pictures", scheduler)])
let lines = text.split(separator: "\n")
print(lines.first { $0.hasPrefix("looptransactions_posts") } ?? "no posts")
print(lines.first { $0.hasPrefix("looptransactions_scheduler_") } ?? "no scheduler")
print("ticks were timed:", Recorded.value("looptransactions.tick.busy") > 0)
logTicks(of: loop, longerThan: .milliseconds(10), to: Logger(label: "loop"))
loop.post {
  let end = loop.now.advanced(by: .milliseconds(20))
  while loop.now < end {}
}
loop.run()
try loop.close()

// The declarations of swift-metrics 2 and swift-log 1 that are used above, with
// the same signatures as far as they are used. A real backend replaces them.

/// The values that a backend would get.
enum Recorded {
  private static let values = Locked<[String: Int64]>([:])

  static func add(_ amount: Int64, to label: String) {
    values.withLock { $0[label, default: 0] += amount }
  }
  static func value(_ label: String) -> Int64 {
    values.withLock { $0[label, default: 0] }
  }
}

final class Counter: Sendable {
  let label: String
  init(label: String, dimensions: [(String, String)] = []) { self.label = label }
  func increment<Amount: BinaryInteger>(by amount: Amount) {
    Recorded.add(Int64(amount), to: label)
  }
}

final class Meter: Sendable {
  let label: String
  init(label: String, dimensions: [(String, String)] = []) { self.label = label }
  func set<Value: BinaryFloatingPoint>(_ value: Value) {}
}

final class Timer: Sendable {
  let label: String
  init(label: String, dimensions: [(String, String)] = []) { self.label = label }
  func recordNanoseconds(_ duration: Int64) { Recorded.add(1, to: label) }
}

struct Logger: Sendable {
  struct Message: ExpressibleByStringInterpolation {
    let text: String
    init(stringLiteral text: String) { self.text = text }
  }
  struct MetadataValue: ExpressibleByStringInterpolation {
    let text: String
    init(stringLiteral text: String) { self.text = text }
  }
  typealias Metadata = [String: MetadataValue]

  init(label: String) {}

  func warning(
    _ message: @autoclosure () -> Message,
    metadata: @autoclosure () -> Metadata? = nil
  ) {
    let isPost = metadata()?["work"]?.text.hasPrefix("post ") == true
    print("warning: \(message().text), held by post: \(isPost)")
  }
}
