// A service that answers a request every 5 ms, and rebuilds its index after each
// hundredth answer. The index takes 60 ms. With the argument `worker` it is built
// on a worker.

import LoopTransactions

// snippet.service
/// Answers requests from an index. Belongs to the loop.
final class Service {
  static let rebuild = Selector<Service>("rebuild") { $0.rebuild() }

  var update = Service.rebuild
  private(set) var answers = 0
  fileprivate var index = Index(of: 0)
  fileprivate let loop: EventLoop

  init(on loop: EventLoop) { self.loop = loop }

  func answer() {
    answers += 1
    index.look()
    if answers.isMultiple(of: 100) { loop.commit(self, update) }
  }

  private func rebuild() { index = Index(of: answers) }
}
// snippet.end

// snippet.worker
extension Service {
  static let rebuildOnWorker = Selector<Service>("rebuildOnWorker") {
    $0.rebuildOnWorker()
  }

  private func rebuildOnWorker() {
    let count = answers
    let transaction = AsyncTransaction(on: loop, name: "index")
    transaction.add("build") { _ in
      Index(of: count)
    } completion: { [self] outcome in
      if case .value(let new) = outcome { index = new }
    }
    transaction.commit()
  }
}
// snippet.end

/// A stand-in for data that is expensive to make.
struct Index {
  init(of count: Int) { if count > 0 { compute(for: .milliseconds(60)) } }

  func look() { compute(for: .microseconds(100)) }
}

func compute(for duration: Duration) {
  let end = LoopClock.now.advanced(by: duration)
  while LoopClock.now < end {}
}

let loop = try EventLoop()
let service = Service(on: loop)
if CommandLine.arguments.contains("worker") {
  service.update = Service.rebuildOnWorker
}

// snippet.record
loop.recordsLatencies = true
// snippet.end

// snippet.name
loop.tickHandler = { tick in
  if tick.duration > .milliseconds(10) { print(tick) }
}
// snippet.end

// snippet.watch
loop.watchdog = try LoopWatchdog(
  threshold: .milliseconds(20),
  capturesStacks: true
) { hold in
  if hold.isOver {
    print(hold)
    print(hold.stackDescription())
  }
}
// snippet.end

loop.addTimer(after: .zero, every: .milliseconds(5)) { _ in
  service.answer()
  if service.answers == 250 { loop.stop() }
}
loop.run()
// snippet.read
if let latencies = loop.port.latencies { print(latencies) }
// snippet.end
try loop.close()
