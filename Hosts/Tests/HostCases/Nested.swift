import Dispatch
import LoopTransactions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Cases {
  /// Runs the host recursively in callbacks of the loop while work is pending. The first
  /// callback runs in a turn that a post caused, and the second in a turn that a commit
  /// in a callback of the host caused.
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

/// A callback of a loop that runs the loop's host recursively.
private final class Nest: @unchecked Sendable {
  // @unchecked: used on the main thread only, where the host and the loop call this
  // object.
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

  /// Runs the host for 50 ms. A post and a precise timer become due during that time.
  /// Calls `done` after both have run.
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

  /// Adds a timer that makes the loop's descriptor readable while the host runs
  /// recursively in `commit`. The next turn registers the timer with libuv.
  func prepare() {
    _ = try? loop.addPreciseTimer(at: loop.now.advanced(by: .milliseconds(40))) { _ in }
  }

  /// Calls `run` in a transaction while a timer is due.
  func commit(_ done: @escaping @Sendable () -> Void) {
    loop.addTimer(after: .milliseconds(1)) { _ in }
    loop.commit(Action { [self] in run(done) }, Action.perform)
    // Sleeps long enough for the host's own thread to notice the timer.
    usleep(5000)
  }
}
