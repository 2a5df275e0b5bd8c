import LoopTransactions
import LoopTransactionsIO
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A process of its own, because it needs many descriptors.
@Suite("Idle connections")
struct IdleTests {
  @Test("a thousand idle connections cause no tick and no poll")  // E7, L7
  func thousand() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let count = connectionLimit()
        #expect(count >= 100)
        var accepted: [Connection] = []
        let listener = try loop.listen(on: .loopback) { connection in
          connection.onRead = { _ in }
          accepted.append(connection)
        }
        var peers: [Peer] = []
        for number in 1...count {
          peers.append(try Peer(to: listener.endpoint))
          try loop.run { accepted.count == number }
        }
        loop.tick(3)
        let waiting = waitForTimer(loop)
        // One that blocks, and one in which the timer fires. One or two more of up to
        // a millisecond if the wait ended early, because timers are never early.
        #expect(waiting.ticks <= 4)
        if Interposed.isAvailable {
          #expect(waiting.polls <= 4)
          #expect(waiting.timeouts.filter { $0 > 20 }.count == 1, "\(waiting.timeouts)")
        }
        // The connections are served.
        peers[count - 1].send("x")
        var received = 0
        accepted[count - 1].onRead = { received += $0.byteCount }
        try loop.run { received == 1 }
      }
    }
  }
}

/// Runs the loop until a timer of 200 ms fires. Returns the number of ticks and
/// polls, and the timeouts of the polls that may block, in milliseconds.
private func waitForTimer(_ loop: EventLoop) -> (ticks: UInt64, polls: Int, timeouts: [Int]) {
  let (ticks, polls) = (loop.metrics.ticks, Interposed.polls)
  var timeouts: [Int] = []
  Interposed.beforeBlocking({ timeouts.append($0) }) {
    loop.addTimer(after: .milliseconds(200)) { _ in loop.stop() }
    loop.run()
  }
  return (loop.metrics.ticks - ticks, Interposed.polls - polls, timeouts)
}

/// The number of connections, with both ends, for which the process may open
/// descriptors, at most 1,000.
private func connectionLimit() -> Int {
  var limit = rlimit()
  let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  getrlimit(kind, &limit)
  limit.rlim_cur = limit.rlim_max
  setrlimit(kind, &limit)
  let free = Int(clamping: limit.rlim_cur) - Process.openDescriptors - 32
  return min(1000, free / 2)
}
