import LoopTransactions

extension Cases {
  /// Ten tasks make 100,000 hops to the main actor and back. If the loop serves the main
  /// queue, it runs the main actor.
  func hops() throws {
    try hop { _ in
      { body in await MainActor.run { body() } }
    }
  }

  /// Ten tasks make 100,000 hops to an actor that is pinned to the loop, and back.
  func pinned() throws {
    try hop { port in
      let actor = Pinned(port)
      return { body in await actor.run(body) }
    }
  }

  private typealias Way = @Sendable (_ body: @escaping @Sendable () -> Void) async -> Void

  private func hop(_ makeWay: (LoopPort) -> Way) throws {
    let loop = try EventLoop()
    let end = try host.serve(loop)
    let (port, onLoop, call, stop) = (loop.port, Times(), host.call, Stop(host))
    let way = makeWay(port)
    let before = host.iterations
    Task.detached {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<10 {
          group.addTask {
            for _ in 0..<10_000 {
              await way {
                // The loop belongs to the first thread.
                if port.isIsolatingCurrentContext() == true { onLoop.add(from: LoopClock.now) }
              }
            }
          }
        }
      }
      call { stop.now() }
    }
    host.run()
    print("hops \(onLoop.count)")
    print("iterations \(host.iterations - before)")
    end()
    try loop.close()
  }
}

private actor Pinned {
  private let port: LoopPort

  init(_ port: LoopPort) { self.port = port }

  nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }

  func run(_ body: @Sendable () -> Void) { body() }
}
