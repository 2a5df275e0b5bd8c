import LoopTransactions

/// A loop with work every millisecond and no long tick. Only a lack of CPUs may
/// make the watchdog report one. Belongs to the loop.
final class HealthyLoop {
  private static let show = Selector<HealthyLoop>("show") { $0.compute() }

  private let loop: EventLoop
  private var reports: [LoopHold] = []

  init(on loop: EventLoop) { self.loop = loop }

  /// Runs the loop for `duration`. Returns the reports.
  func run(for duration: Duration) throws -> [LoopHold] {
    let (port, healthy) = (loop.port, LoopBound(self, on: loop))
    loop.watchdog = try LoopWatchdog(
      threshold: .milliseconds(20),
      capturesStacks: true
    ) { hold in
      try? port.post { healthy.withValue { $0.reports.append(hold) } }
    }
    loop.addTimer(after: .zero, every: .milliseconds(1)) { _ in
      self.loop.commit(self, Self.show)
    }
    let poster = Helper {
      let end = LoopClock.now.advanced(by: duration)
      while LoopClock.now < end {
        try? port.post {}
        pauseBriefly()
      }
      port.stop()
    }
    loop.run()
    poster.join()
    loop.watchdog = nil
    return reports
  }

  private func compute() {
    let end = LoopClock.now.advanced(by: .microseconds(200))
    while LoopClock.now < end {}
  }
}
