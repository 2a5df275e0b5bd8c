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

  @Test("a child has the dispositions from before its parent's watchers, and the parent no call")
  func childsDispositions() async {  // L12, E3
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        signal(SIGUSR1, SIG_IGN)
        let watched = [SIGUSR1, SIGUSR2, SIGTERM]
        for number in watched {
          try loop.onSignal(number) { Issue.record("\(number) of the child was delivered") }
        }
        let ending = Process.fork {
          System.logToStandardError("\(watched.map(Process.isDefault))")
          Process.raise(SIGUSR1)
          Process.raise(SIGTERM)
        }
        #expect(ending.standardError == "[false, true, true]\n")
        #expect(ending.status == -SIGTERM)
        loop.run(.noWait)
        #expect(!watched.contains(where: Process.isDefault))
      }
    }
  }

  @Test("a child watches its parent's signals on a loop of its own, and restores them")
  func childWatches() async {  // L12, E3
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        try loop.onSignal(SIGUSR2) { Issue.record("a signal of the child was delivered") }
        let ending = Process.fork {
          var called = 0
          try? withLoop { own in
            let watcher = try own.onSignal(SIGUSR2) { called += 1 }
            Process.raise(SIGUSR2)
            while called == 0 { own.run(.once) }
            watcher.cancel()
            System.logToStandardError("called \(called), \(Process.isDefault(SIGUSR2))")
          }
        }
        #expect(ending.standardError == "called 1, true\n")
        #expect(ending.status == 0)
        loop.run(.noWait)
        #expect(!Process.isDefault(SIGUSR2))
      }
    }
  }

  @Test("a child has no handler of a trace or a watchdog of its parent, in any order")
  func childsHandlers() async {  // L12, E3, X3
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let before = Self.caughtSignals
        let trace = try LoopTrace()
        try loop.onSignal(SIGABRT) {}
        try trace.write(to: "/tmp/never", onSignal: SIGUSR2)
        try loop.onSignal(SIGUSR2) {}
        let watchdog = try LoopWatchdog(threshold: .seconds(3600), capturesStacks: true) { _ in }
        let ending = Process.fork {
          // The tests' fork sets the signals of traps to their default.
          System.logToStandardError("\(Self.caughtSignals.filter { !before.contains($0) })")
        }
        withExtendedLifetime(watchdog) {}
        #expect(ending.standardError == "[]\n", "\(ending.standardError)")
      }
    }
  }

  private static var caughtSignals: [Int32] {
    (1...64).filter { $0 != 32 && $0 != 33 && !Process.isDefault($0) }
  }

  @Test("a child that no pthread_atfork handler saw watches its parent's signals itself")
  func unseenChildWatches() async {  // L12, E3
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        try loop.onSignal(SIGUSR2) { Issue.record("a signal of the child was delivered") }
        let ending = Process.fork(isSeen: false) {
          var called = 0
          try? withLoop { own in
            try own.onSignal(SIGUSR2) { called += 1 }
            Process.raise(SIGUSR2)
            while called == 0 { own.run(.once) }
          }
          System.logToStandardError("called \(called)")
        }
        #expect(ending.standardError == "called 1\n")
        loop.run(.noWait)
      }
    }
  }
}
