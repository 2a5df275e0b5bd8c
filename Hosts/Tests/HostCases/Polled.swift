import Dispatch
import LoopTransactions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Cases {
  /// Polls the host without waiting, as a program that draws continuously does.
  func polled() throws {
    let loop = try EventLoop()
    let end = try host.serve(loop)
    let (counts, port, call) = (Counted(), loop.port, host.call)
    for _ in 0..<100 {
      loop.commit(Action { counts.performed += 1 }, Action.perform)
      host.pollOnce()
    }
    print("between \(counts.performed)")

    let bound = LoopBound(loop, on: loop)
    call {
      bound.withValue { $0.commit(Action { counts.isCommitted = true }, Action.perform) }
    }
    poll { counts.isCommitted }
    print("within \(counts.isCommitted)")

    loop.addTimer(after: .milliseconds(5)) { _ in counts.isTimely = true }
    poll { counts.isTimely }
    print("timer \(counts.isTimely)")

    Thread.start { try? port.post { counts.isPosted = true } }
    poll { counts.isPosted }
    print("post \(counts.isPosted)")
    end()
    try loop.close()
  }

  /// Polls once per millisecond until `isSo` returns true, at most 1,000 times.
  private func poll(until isSo: () -> Bool) {
    for _ in 0..<1000 where !isSo() {
      host.pollOnce()
      usleep(1000)
    }
  }
}

private final class Counted: @unchecked Sendable {
  // @unchecked: used on the main thread only, where the host and the loop make
  // their calls.
  var performed = 0
  var isCommitted = false
  var isTimely = false
  var isPosted = false
}
