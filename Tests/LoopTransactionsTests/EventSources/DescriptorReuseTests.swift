import CUV
import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("DescriptorWatcher of a descriptor that was reused")
struct DescriptorReuseTests {
  @Test("a new watcher gets the events of a descriptor whose reuse the loop cannot see")  // E1
  func unseen() throws {
    try withLoop { loop in
      let (old, new, trace) = (lt_eventfd_open(), lt_eventfd_open(), Trace())
      // Eventfds share an inode.
      try #require(old >= 0 && new >= 0)
      let first = try loop.watch(old, for: .readable) { _ in trace.record("first") }
      loop.run(.noWait)
      dup2(new, old)
      let second = try loop.watch(old, for: .readable) { _ in trace.record("second") }
      lt_eventfd_write(new)
      loop.run(.noWait)
      #expect(trace.events == ["first", "second"])
      first.cancel()
      second.cancel()
      for descriptor in [old, new] { SocketPair.close(descriptor) }
    }
  }

  @Test("a watcher that the callback of a lost one adds is polled in the same tick")  // E1
  func addedByLost() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let (pair, other, trace) = (SocketPair(), SocketPair(), Trace())
        other.send()
        try loop.watch(pair.near, for: .readable) { events in
          trace.record("\(events)")
          _ = try? loop.watch(other.near, for: .readable) { trace.record("other \($0)") }
        }
        pair.closeNear()
        loop.run(.noWait)
        #expect(trace.events == ["[error]", "other [readable]"])
      }
    }
  }
}
