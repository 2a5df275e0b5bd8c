import Dispatch
import LoopTransactions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The cases that run in every host. Each case prints its figures, as a name and a
/// value.
@MainActor
struct Cases {
  let host: any TestedHost

  init(_ host: any TestedHost) { self.host = host }

  /// Measures the lateness of the loop's timers, both precise and ordinary, and of the
  /// host's own timers.
  func timers() throws {
    let loop = try EventLoop()
    let end = try host.serve(loop)
    let (ours, own) = (Times(), Times())
    // The delays are primes, so that few timers are due together. There are 105 timers
    // of each kind, which is enough for a p99.
    let waits = [3, 7, 13, 19, 29, 37, 43, 53, 61, 71, 79, 89, 101, 107, 113]
    let rounds = 7
    let stop = Stop(host)
    let ended: @Sendable () -> Void = {
      if ours.count + own.count == 3 * waits.count * rounds { stop.now() }
    }
    for milliseconds in (0..<rounds).flatMap({ round in waits.map { $0 + 127 * round } }) {
      let due = LoopClock.now.advanced(by: .milliseconds(milliseconds))
      let fire = { (_: LoopTimer.Firing) in
        ours.add(from: due)
        ended()
      }
      try loop.addPreciseTimer(at: due, fire)
      loop.addTimer(after: .milliseconds(milliseconds), fire)
      host.after(milliseconds) {
        own.add(from: due)
        ended()
      }
    }
    host.run()
    print("timers \(ours.count)")
    print("late \(ours.median)")
    print("late90 \(ours.p90)")
    print("late99 \(ours.p99)")
    print("ownLate \(own.median)")
    print("ownLate90 \(own.p90)")
    print("ownLate99 \(own.p99)")
    end()
    try loop.close()
  }

  /// Measures the time from a commit in a callback of the host to its action.
  func commits() throws {
    let loop = try EventLoop()
    let end = try host.serve(loop)
    let (times, bound, call) = (Times(), LoopBound(loop, on: loop), host.call)
    let stop = Stop(host)
    let done = DispatchSemaphore(value: 0)
    Thread.start {
      for _ in 0..<200 {
        call {
          let start = LoopClock.now
          let action = Action {
            times.add(from: start)
            done.signal()
          }
          bound.withValue { $0.commit(action, Action.perform) }
        }
        done.wait()
        usleep(200)
      }
      call { stop.now() }
    }
    host.run()
    print("performed \(times.median)")
    end()
    try loop.close()
  }

  /// Measures posts from another thread, and the host's own calls from another thread,
  /// alternately. Both arrive while the host is waiting.
  func posts() throws {
    let loop = try EventLoop()
    let end = try host.serve(loop)
    let (own, ours, port, call) = (Times(), Times(), loop.port, host.call)
    let stop = Stop(host)
    let done = DispatchSemaphore(value: 0)
    Thread.start {
      for _ in 0..<1000 {
        usleep(100)
        let start = LoopClock.now
        call {
          own.add(from: start)
          done.signal()
        }
        done.wait()
        usleep(100)
        let other = LoopClock.now
        try? port.post {
          ours.add(from: other)
          done.signal()
        }
        done.wait()
      }
      call { stop.now() }
    }
    host.run()
    print("own \(own.median)")
    print("ours \(ours.median)")
    end()
    try loop.close()
  }

  /// Counts the iterations of the host in one idle second.
  func idle() throws {
    let loop = try EventLoop()
    let end = try host.serve(loop)
    let (call, stop) = (host.call, Stop(host))
    // The idle second begins after a few turns. One timer is pending, but is due
    // long after that second.
    loop.addTimer(after: .seconds(100)) { _ in }
    try loop.port.post {}
    let counts = Counts(host, loop)
    Thread.start {
      usleep(200_000)
      call { counts.begin() }
      usleep(1_000_000)
      call {
        counts.end()
        stop.now()
      }
    }
    host.run()
    end()
    try loop.close()
  }

  /// Cancels a host, and closes a loop inside a callback. The host must keep working.
  func ends() throws {
    let first = try EventLoop()
    let end = try host.serve(first)
    try first.port.post {}
    first.commit(Action { print("performed") }, Action.perform)
    end()
    end()
    print("run \(first.run())")
    try first.close()
    let second = try EventLoop()
    _ = try host.serve(second)
    let (call, stop, bound) = (host.call, Stop(host), LoopBound(second, on: second))
    let counts = Counts(host, nil)
    second.commit(Action { print("performed") }, Action.perform)
    Thread.start {
      usleep(50_000)
      call {
        try? bound.withValue { try $0.close() }
        counts.begin()
      }
      usleep(300_000)
      call {
        counts.end()
        stop.now()
      }
    }
    host.run()
  }
}
