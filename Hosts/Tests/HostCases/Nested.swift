import Dispatch
import LoopTransactions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Cases {
  /// Callbacks of the loop that run the host anew, while something is owed: in a turn
  /// that a post brings, and in one that a callback of the host's does.
  func nested() throws {
    let loop = try EventLoop()
    let end = try host.serve(loop)
    let (port, call, stop) = (loop.port, host.call, Stop(host))
    let nest = Nest(host, loop)
    Thread.start {
      let done = DispatchSemaphore(value: 0)
      usleep(50_000)
      try? port.post { nest.run { done.signal() } }
      done.wait()
      call { nest.prepare() }
      usleep(10_000)
      call { nest.commit { done.signal() } }
      done.wait()
      call {
        nest.isOver = true
        stop.now()
      }
    }
    while !nest.isOver { host.run() }
    end()
    try loop.close()
  }
}

/// A callback of a loop that runs the loop's host anew.
private final class Nest: @unchecked Sendable {
  // @unchecked: of the main thread only, where host and loop call.
  private let host: any TestedHost
  private let loop: EventLoop
  private var left = 0
  private var isInside = false
  var isOver = false

  @MainActor
  init(_ host: any TestedHost, _ loop: EventLoop) {
    self.host = host
    self.loop = loop
  }

  /// Runs the host for 50 ms, in which a post and a precise timer become due; calls
  /// `done` when both have come.
  func run(_ done: @escaping @Sendable () -> Void) {
    left = 2
    let came: @Sendable () -> Void = { [self] in
      left -= 1
      if left == 0 { print("comes back \(!isInside)") }
      if left == 0 { done() }
    }
    let due = loop.now.advanced(by: .milliseconds(10))
    guard (try? loop.addPreciseTimer(at: due, { _ in came() })) != nil else { return }
    try? loop.port.post(came)
    isInside = true
    MainActor.assumeIsolated {
      let (before, start) = (host.iterations, LoopClock.now)
      host.runAnew(50)
      let isWhole = start.duration(to: LoopClock.now) >= .milliseconds(40)
      print("runs \(isWhole), rests \(left == 2), waits \(host.iterations - before < 20)")
    }
    isInside = false
  }

  /// Has the loop's descriptor become readable while the host runs anew in `commit`,
  /// after a turn in which libuv learns of it.
  func prepare() {
    _ = try? loop.addPreciseTimer(at: loop.now.advanced(by: .milliseconds(40))) { _ in }
  }

  /// Runs so in a transaction, while a timer is due as well.
  func commit(_ done: @escaping @Sendable () -> Void) {
    loop.addTimer(after: .milliseconds(1)) { _ in }
    loop.commit(Action { [self] in run(done) }, Action.perform)
    // Time enough for a host that has a thread of its own count it.
    usleep(5000)
  }
}
