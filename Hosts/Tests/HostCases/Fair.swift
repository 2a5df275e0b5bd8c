import LoopTransactions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Cases {
  /// Prints the largest number of turns that a busy loop makes between the time
  /// when an event of the host becomes due and its callback: first of a loop with
  /// a transaction that commits itself, then of a loop that another thread posts
  /// to without a pause.
  func fair() throws {
    for isFlooded in [false, true] {
      let loop = try EventLoop()
      let end = try host.serve(loop)
      let events = Events(host, loop)
      if isFlooded { flood(loop.port) } else { commit(on: loop, while: events) }
      events.next()
      host.run()
      print("\(isFlooded ? "flooded" : "committing") \(events.most)")
      end()
      try loop.close()
    }
  }

  private func commit(on loop: EventLoop, while events: Events) {
    let bound = LoopBound(loop, on: loop)
    let again = Again { target in
      if !events.isOver { bound.withValue { $0.commit(target, Again.perform) } }
    }
    loop.commit(again, Again.perform)
  }

  private func flood(_ port: LoopPort) {
    Thread.start {
      // Ends when the loop is closed.
      while (try? port.post {}) != nil { sched_yield() }
    }
  }
}

private final class Again {
  static let perform = Selector<Again>("perform") { $0.body($0) }
  private let body: (Again) -> Void

  init(_ body: @escaping (Again) -> Void) { self.body = body }
}

/// Events of the host that are due at once. Each one adds the next, until the
/// loop has made 300 turns.
private final class Events: @unchecked Sendable {
  // @unchecked: used on the main thread only, where the host and the loop make
  // their calls.
  private let host: any TestedHost
  private let stop: Stop
  private var turns = 0
  private(set) var most = 0
  private(set) var isOver = false

  @MainActor
  init(_ host: any TestedHost, _ loop: EventLoop) {
    self.host = host
    stop = Stop(host)
    loop.addObserver(for: .beforeWaiting) { [self] _ in turns += 1 }
  }

  func next() {
    let before = turns
    MainActor.assumeIsolated {
      host.after(0) { [self] in
        most = max(most, turns - before)
        isOver = turns >= 300
        if isOver { stop.now() } else { next() }
      }
    }
  }
}
