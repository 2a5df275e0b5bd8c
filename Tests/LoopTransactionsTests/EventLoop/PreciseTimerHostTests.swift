import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

#if os(Linux)
  @Suite("Precise timers of a host's loop")
  struct PreciseTimerHostTests {
    private static let past = LoopClock.Instant(nanoseconds: 0)
    private static let far = LoopClock.Instant(nanoseconds: .max / 2)

    @Test("between two turns, an earlier timer makes the host's descriptor readable in time")
    func embedded() throws {  // C5, L10, I34
      try withLoop { loop in
        let embedding = Embedding(loop)
        let last = try loop.addPreciseTimer(at: Self.far) { _ in }
        embedding.settle()
        var fired = 0
        try loop.addPreciseTimer(at: loop.now.advanced(by: .milliseconds(1))) { _ in fired += 1 }
        // The host does not ask for the timeout, so the library must have set the
        // timerfd.
        #expect(waitFor(embedding.pollDescriptor, .seconds(600)))
        while fired == 0 { embedding.turn() }
        // The next host's wait is for `last` alone.
        let cancelled = try loop.addPreciseTimer(at: loop.now.advanced(by: .milliseconds(5))) { _ in
        }
        cancelled.cancel()
        let ticks = loop.metrics.ticks
        #expect(embedding.nextTimeout == nil)
        #expect(!waitFor(embedding.pollDescriptor, .milliseconds(20)))
        #expect(loop.metrics.ticks == ticks)
        last.cancel()
        embedding.cancel()
      }
    }

    @Test("a turn that a precise timer made due is followed by none")  // C5, L7, L10
    func turns() throws {
      try withLoop { loop in
        let embedding = Embedding(loop)
        var fired = 0
        let timer = try loop.addPreciseTimer(at: Self.past, every: .milliseconds(2)) { _ in
          fired += 1
        }
        embedding.settle()
        let before = (fired, loop.metrics.ticks)
        while fired < before.0 + 10 {
          #expect(waitFor(embedding.pollDescriptor, .seconds(600)))
          embedding.turn()
          // Zero would cause another turn.
          #expect(embedding.nextTimeout == nil)
        }
        #expect(loop.metrics.ticks - before.1 == 10)
        timer.cancel()
        embedding.cancel()
      }
    }

    @Test("a timer that a host's handle adds just before the poll ends the poll")
    func addedBeforeThePoll() async {  // L1, L5, L10, I34
      await #expect(processExitsWith: .success) {
        Process.endInTime()
        let host = ForeignLoop()
        var fired = 0
        var addTimer: (() -> Void)?
        // libuv calls a handle that was started earlier after ours.
        let prepare = ForeignHandle(.prepare, on: host.address) { _ in
          addTimer?()
          addTimer = nil
        }
        prepare.start().keepsLoopAlive(false)
        let loop = try EventLoop(adopting: host.address)
        for run in [{ _ = host.run() }, { _ = loop.run() }] {
          let keeper = try loop.addPreciseTimer(at: Self.far) { _ in }
          addTimer = {
            _ = try? loop.addPreciseTimer(at: loop.now.advanced(by: .milliseconds(1))) { _ in
              fired += 1
              keeper.cancel()
            }
          }
          run()
        }
        #expect(fired == 2)
        prepare.close()
        try loop.close()
        #expect(host.close())
      }
    }

    @Test("a timer that a host's callback after the tick adds makes the loop's descriptor readable")
    func addedAfterTheTick() throws {  // L1, L10
      try withAdoptedLoop { host, loop in
        var fired = 0
        let keeper = try loop.addPreciseTimer(at: Self.far) { _ in }
        host.run(.noWait)
        // The host is between two ticks of its own.
        try loop.addPreciseTimer(at: loop.now.advanced(by: .milliseconds(1))) { _ in fired += 1 }
        while fired == 0 {
          #expect(host.wait())
          host.run(.noWait)
        }
        keeper.cancel()
        #expect(fired == 1)
      }
    }

    @Test(
      "a child that uses its parent's timers does not set the parent's timerfd",
      .enabled(if: Interposed.isAvailable)
    )  // L12
    func forked() async {
      await #expect(processExitsWith: .success) {
        Process.endInTime()
        try withAdoptedLoop { host, loop in
          var fired = 0
          let timer = try loop.addPreciseTimer(at: loop.now.advanced(by: .milliseconds(50))) { _ in
            fired += 1
          }
          host.run(.noWait)
          let ending = Process.fork {
            let before = Interposed.deadlineChanges
            timer.keepsLoopAlive = false
            timer.cancel()
            _ = try? loop.addPreciseTimer(at: .init(nanoseconds: 0)) { _ in }
            System.logToStandardError("\(Interposed.deadlineChanges - before) calls")
          }
          #expect(ending.status == 0)
          #expect(ending.standardError == "0 calls\n")
          #expect(loop.runInTime() == .finished)
          #expect(fired == 1)
        }
      }
    }

    @Test("closing an adopted loop in a timer's callback cancels the timers due with it")
    func closeInAPass() throws {  // L10, L11
      let host = ForeignLoop()
      let loop = try EventLoop(adopting: host.address)
      var fired = 0
      var timers: [LoopTimer] = []
      for _ in 0..<10 {
        timers.append(
          try loop.addPreciseTimer(at: Self.past, every: .milliseconds(1)) { _ in
            fired += 1
            #expect(throws: Never.self) { try loop.close() }
          }
        )
      }
      host.run()
      #expect(fired == 1)
      #expect(timers.allSatisfy { !$0.isActive })
      #expect(host.close())
    }
  }
#endif
