import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

#if os(Linux)
  @Suite("Precise timers")
  struct PreciseTimerTests {
    private static let past = LoopClock.Instant(nanoseconds: 0)
    private static let far = LoopClock.Instant(nanoseconds: .max / 2)

    private static func past(_ nanoseconds: UInt64) -> LoopClock.Instant {
      LoopClock.Instant(nanoseconds: nanoseconds)
    }

    @Test("100,000 pending precise timers hold one descriptor, and each fires once, in order")
    func many() async {  // L10
      await #expect(processExitsWith: .success) {
        Process.endInTime()
        let loop = try EventLoop()
        Process.limitDescriptors(to: 20)
        let before = Process.openDescriptors
        var random = SeededGenerator(seed: 1)
        let start = loop.now
        var fired: [LoopClock.Instant] = []
        var early = 0
        for _ in 0..<100_000 {
          let delay = Duration.nanoseconds(.random(in: 0..<100_000_000, using: &random))
          try loop.addPreciseTimer(at: start.advanced(by: delay)) { [unowned loop] firing in
            if loop.now < firing.deadline { early += 1 }
            fired.append(firing.deadline)
          }
        }
        for _ in 0..<100_000 { loop.addTimer(after: .milliseconds(1)) { _ in } }
        // The process's runtime may open a few at any time.
        #expect(Process.openDescriptors < before + 10)
        #expect(loop.runInTime() == .finished)
        #expect(fired.count == 100_000)
        #expect(early == 0)
        #expect(fired == fired.sorted())
        #expect(loop.timerCount == 0)
        for _ in 0..<100_000 { try loop.addPreciseTimer(at: Self.far) { _ in } }
        try loop.close()
        #expect(Process.openDescriptors < before + 10)
      }
    }

    @Test(
      "the timerfd is set once per tick if the earliest deadline changed, and never by a cancel",
      .enabled(if: Interposed.isAvailable)
    )  // L10, I34
    func calls() throws {
      try withLoop { loop in
        func calls(_ body: () throws -> Void) rethrows -> Int {
          let before = Interposed.deadlineChanges
          try body()
          return Interposed.deadlineChanges - before
        }
        func add(_ rank: Int) throws -> LoopTimer {
          try loop.addPreciseTimer(at: Self.far.advanced(by: .seconds(rank))) { _ in }
        }
        var timers: [LoopTimer] = []
        let added = try calls { for rank in 0..<100 { timers.append(try add(-rank)) } }
        #expect(added == 0)
        #expect(calls { loop.run(.noWait) } == 1)
        #expect(calls { loop.run(.noWait) } == 0)
        // Later deadlines, and an earlier one that is cancelled again.
        let later = try calls {
          for rank in 1..<100 { timers.append(try add(rank)) }
          try add(-1000).cancel()
          loop.run(.noWait)
        }
        #expect(later == 0)
        #expect(calls { timers[99].cancel() } == 0)
        #expect(calls { loop.run(.noWait) } == 1)
        #expect(Interposed.deadline == timers[98].deadline.nanoseconds)
        // Within a tick, several changes cost one call.
        loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
          for timer in timers { timer.cancel() }
          timers = (try? (1000..<1010).map { try add(-$0) }) ?? []
        }
        #expect(calls { loop.run(.noWait) } == 1)
        #expect(Interposed.deadline == timers.last?.deadline.nanoseconds)
        // The last one disarms the timerfd, so that it does not cause a tick. L7
        #expect(calls { for timer in timers { timer.cancel() } } == 0)
        // Without a post, there would be no tick.
        loop.post {}
        #expect(calls { loop.run(.noWait) } == 1)
        #expect(Interposed.deadline == 0)
        loop.post {}
        #expect(calls { loop.run(.noWait) } == 0)
      }
    }

    @Test(
      "a repeating timer costs one call per firing, and its timerfd is read only once",
      .enabled(if: Interposed.isAvailable)
    )  // L10
    func firings() throws {
      try withLoop { loop in
        var fired = 0
        let timer = try loop.addPreciseTimer(at: loop.now, every: .microseconds(100)) { _ in
          fired += 1
          if fired == 50 { loop.stop() }
        }
        let (changes, reads) = (Interposed.deadlineChanges, Interposed.reads)
        loop.run()
        #expect(fired == 50)
        #expect(Interposed.deadlineChanges - changes <= 50)
        #expect(Interposed.reads - reads == 1)
        timer.cancel()
      }
    }

    @Test(
      "a timer that ends makes no call, and no tick follows",
      .enabled(if: Interposed.isAvailable)
    )
    func ends() throws {  // L7, L10
      try withLoop { loop in
        try loop.addPreciseTimer(at: Self.past) { _ in }
        loop.run()
        try loop.addPreciseTimer(at: Self.past) { _ in }
        let (changes, reads) = (Interposed.deadlineChanges, Interposed.reads)
        #expect(loop.run() == .finished)
        #expect(Interposed.deadlineChanges - changes == 1)
        #expect(Interposed.reads == reads)
        let ticks = loop.metrics.ticks
        loop.addTimer(after: .milliseconds(20)) { _ in }
        loop.run()
        #expect(loop.metrics.ticks - ticks <= 3)
      }
    }

    @Test("timers that are due together fire by deadline, and equal deadlines in the order added")
    func order() throws {  // L10
      try withLoop { loop in
        var fired: [Int] = []
        for number in 0..<1000 {
          try loop.addPreciseTimer(at: Self.past(UInt64(number % 3))) { _ in fired.append(number) }
        }
        #expect(loop.runInTime() == .finished)
        let numbers = 0..<1000
        #expect(fired == [0, 1, 2].flatMap { rest in numbers.filter { $0 % 3 == rest } })
      }
    }

    @Test("a timer cancelled by another that is due in the same tick does not fire")  // L10
    func cancelOther() throws {
      try withLoop { loop in
        var fired: [Int] = []
        var timers: [LoopTimer] = []
        for number in 0..<100 {
          timers.append(
            try loop.addPreciseTimer(at: Self.past(UInt64(100 - number))) { _ in
              fired.append(number)
              // Those before it are due later.
              for other in timers[..<number].suffix(9) { other.cancel() }
            }
          )
        }
        #expect(loop.runInTime() == .finished)
        #expect(fired == Array(stride(from: 99, through: 9, by: -10)))
        #expect(timers.allSatisfy { !$0.isActive })
      }
    }

    @Test("a timer that a timer starts waits for a later tick, even if it is due first")  // L10
    func startedByATimer() throws {
      try withLoop { loop in
        var fired: [String] = []
        var ticks: [UInt64] = []
        func note(_ name: String) {
          fired.append(name)
          ticks.append(loop.metrics.ticks)
        }
        try loop.addPreciseTimer(at: Self.past(5)) { _ in
          note("first")
          for name in ["new", "cancelled"] {
            let timer = try? loop.addPreciseTimer(at: Self.past) { _ in note(name) }
            if name == "cancelled" { timer?.cancel() }
          }
        }
        try loop.addPreciseTimer(at: Self.past(6)) { _ in note("second") }
        #expect(loop.runInTime() == .finished)
        #expect(fired == ["first", "second", "new"])
        #expect(ticks[0] == ticks[1])
        #expect(ticks[2] > ticks[1])
      }
    }

    @Test("a run waits for precise timers while one of them keeps the loop alive")  // L10
    func keepsLoopAlive() throws {
      try withLoop { loop in
        let timers = try (0..<3).map { _ in try loop.addPreciseTimer(at: Self.far) { _ in } }
        for timer in timers {
          #expect(loop.run(.noWait) == .ticked)
          timer.keepsLoopAlive = false
          timer.keepsLoopAlive = false
        }
        #expect(loop.run() == .finished)
        timers[1].keepsLoopAlive = true
        #expect(loop.run(.noWait) == .ticked)
        timers[1].cancel()
        #expect(loop.run() == .finished)
        timers[0].cancel()
        timers[2].cancel()
        var fired = 0
        try loop.addPreciseTimer(at: Self.past) { _ in fired += 1 }
        #expect(loop.runInTime() == .finished)
        #expect(fired == 1)
      }
    }

    @Test("stop() in a timer's callback does not keep other due timers from firing")  // L8, L10
    func stop() throws {
      try withLoop { loop in
        var fired = 0
        for _ in 0..<10 {
          try loop.addPreciseTimer(at: Self.past) { _ in
            fired += 1
            loop.stop()
          }
        }
        let timer = try loop.addPreciseTimer(at: Self.far) { _ in }
        #expect(loop.runInTime() == .stopped)
        #expect(fired == 10)
        timer.cancel()
        #expect(loop.run() == .finished)
      }
    }

    @Test("a timer that is due after a run's deadline fires in a later run")  // L8, L10, L13
    func afterTheDeadline() throws {
      try withLoop { loop in
        var fired = 0
        let due = loop.now.advanced(by: .seconds(3600))
        let timer = try loop.addPreciseTimer(at: due) { _ in fired += 1 }
        #expect(loop.run(until: loop.now.advanced(by: .milliseconds(2))) == .timedOut)
        #expect(fired == 0)
        timer.cancel()
        try loop.addPreciseTimer(at: loop.now.advanced(by: .milliseconds(2))) { _ in fired += 1 }
        #expect(loop.run(.noWait) == .ticked || fired == 1)
        #expect(loop.runInTime() == .finished)
        #expect(fired == 1)
      }
    }

    @Test("timers are not subject to the budget: all that are due fire in one tick")  // L9, L10
    func budget() throws {
      try withLoop { loop in
        loop.budget = EventLoop.Budget(count: 1)
        var ticks: Set<UInt64> = []
        for _ in 0..<100 {
          try loop.addPreciseTimer(at: Self.past) { _ in ticks.insert(loop.metrics.ticks) }
        }
        #expect(loop.runInTime() == .finished)
        #expect(ticks.count == 1)
      }
    }
  }
#endif
