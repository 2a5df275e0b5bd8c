import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Event sources: fork", .serialized)
struct EventSourceForkTests {
  @Test("a child that cancels watchers and closes its parent's loop does not affect the parent")
  func childCloses() async {  // L12, E1
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let (pair, trace) = (SocketPair(), Trace())
        pair.send()
        let writer = try loop.watch(pair.near, for: .writable) { _ in trace.record("writable") }
        let reader = try loop.watch(pair.near, for: .readable) { _ in trace.record("readable") }
        // The first poll makes the kernel watch the descriptor.
        loop.run(.noWait)
        let ending = Process.fork {
          reader.cancel()
          writer.events = []
          writer.keepsLoopAlive = false
          try? loop.close()
        }
        #expect(ending.status == 0)
        // Still level-triggered, and still for both events.
        for _ in 0..<2 { loop.run(.noWait) }
        #expect(trace.events.filter { $0 == "writable" }.count == 3)
        #expect(trace.events.filter { $0 == "readable" }.count == 3)
      }
    }
  }

  @Test(
    "a child that runs the host's loop gets none of its parent's events",
    arguments: [false, true]
  )
  func childTakesOver(closes: Bool) async {  // L12, E1
    await #expect(processExitsWith: .success) { [closes] in
      try withAdoptedLoop { host, loop in
        let (pair, called) = (SocketPair(), Tally())
        pair.send()
        try loop.watch(pair.near, for: .readable) { _ in called.increment() }
        try loop.onSignal(SIGUSR2) { called.increment() }
        host.run(.noWait)
        let ending = Process.fork {
          Process.endInTime()
          if closes { try? loop.close() }
          host.takeOver()
          // Returns, because the child waits for none of the sources.
          host.run()
          host.run(.noWait)
          System.logToStandardError("called \(called.value)")
        }
        #expect(ending.status == 0)
        #expect(ending.standardError == "called 1\n")
        host.run(.noWait)
        #expect(called.value == 2)
      }
    }
  }

  @Test("a parent is notified of a new error although a child closed its parent's loop")  // L12, E1
  func childClosesAfterError() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let (datagrams, trace) = (try Datagrams(), Trace())
        let watcher = try loop.watch(datagrams.receiver, for: .readable) { trace.record("\($0)") }
        datagrams.fail()
        for _ in 0..<2 { loop.run(.noWait) }
        let ending = Process.fork {
          watcher.cancel()
          try? loop.close()
        }
        #expect(ending.status == 0)
        // The first write fails with the error that nothing has read.
        for _ in 0..<2 { datagrams.fail() }
        for _ in 0..<3 { loop.run(.noWait) }
        #expect(trace.events == ["[readable, error]", "[readable, error]"])
      }
    }
  }

  @Test("a parent gets signals and exit statuses although a child cancelled their watchers")
  func childCancels() async {  // L12, E3, E4
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let trace = Trace()
        let signal = try loop.onSignal(SIGUSR2) { trace.record("signal") }
        let child = Process.start("exit 3")
        let exit = try loop.onExit(of: child) { trace.record("\($0)") }
        loop.run(.noWait)
        let ending = Process.fork {
          signal.keepsLoopAlive = false
          signal.cancel()
          exit.cancel()
          try? loop.close()
        }
        #expect(ending.status == 0)
        Process.raise(SIGUSR2)
        while trace.events.count < 2 { loop.run(.once) }
        #expect(trace.events.sorted() == ["exited(3)", "signal"])
      }
    }
  }
}
