import Glibc
import LoopTransactions
import LoopWatch
import LoopbenchKit
import Testing

@Suite("Watcher")
struct WatcherTests {
  /// The waits of this thread, as a test chooses them.
  private final class PlannedLog: WaitLog {
    let waits = Locked<[Wait]>([])
    let hasEnded = Locked(false)
    // The link is `PROCESS/task/THREAD`.
    private let thread = ProcessFile.link("/proc/thread-self")?.split(separator: "/").last

    func look(at now: UInt64) {}

    func threads() -> [RecordedThread] {
      if hasEnded.withLock({ $0 }) { return [] }
      return [RecordedThread(entry: 0, process: getpid(), thread: Int32(thread ?? "") ?? 0)]
    }

    func readWaits(entry: Int, from first: UInt64, _ body: (Wait) -> Void) {
      for wait in waits.withLock({ $0 }) where wait.number >= first { body(wait) }
    }

    func expectWait(entry: Int, for source: WaitSource?) -> Bool { true }

    func currentWaitBegan(entry: Int) -> UInt64? { nil }

    func isWaiting(entry: Int, for source: WaitSource?) -> Bool { false }

    /// A loop that polls, so that it needs no descriptor.
    func addLoop(heldSince began: UInt64) {
      for time in began - 3...began - 1 {
        add(from: time, to: time + 1, source: .poll(site: 1))
      }
    }

    func add(from began: UInt64, to ended: UInt64?, source: WaitSource = .epoll(descriptor: 5)) {
      waits.withLock {
        let number = UInt64($0.count)
        $0.append(
          Wait(number: number, began: began, ended: ended, source: source)
        )
      }
    }
  }

  private func watcher(_ log: PlannedLog, on loop: EventLoop) -> Watcher {
    Watcher(
      on: loop,
      process: getpid(),
      log: log,
      threshold: 20_000_000,
      isFollowing: false
    )
  }

  private var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Calls `body` with a watcher of a loop that has been held since `began`.
  private func watchHeldLoop(
    _ body: (_ log: PlannedLog, _ watcher: Watcher, _ began: UInt64) throws -> Void
  ) throws {
    try EventLoop.run { loop in
      let log = PlannedLog()
      let watcher = watcher(log, on: loop)
      let began = now - 100_000_000
      log.addLoop(heldSince: began)
      try body(log, watcher, began)
    }
  }

  @Test("a hold that ends while its stack is captured is added with the end of the capture")
  func endsDuringCapture() throws {
    try watchHeldLoop { log, watcher, began in
      // The capture ends on the loop, which does not run meanwhile.
      watcher.look()
      log.add(from: now, to: nil, source: .poll(site: 1))
      watcher.look()
      #expect(watcher.summary.count == 0)
      watcher.finish()
      #expect(watcher.summary.count == 1)
      #expect(watcher.holds.map(\.hold.began) == [began])
    }
  }

  @Test("a hold that has not ended is shown while it goes on, and is added at the end")
  func openAtEnd() throws {
    try watchHeldLoop { log, watcher, began in
      watcher.look()
      #expect(watcher.summary.count == 0 && watcher.liveSummary.count == 1)
      #expect(watcher.liveSummary.table(width: 200).contains { $0.hasSuffix(" ms so far") })
      watcher.finish()
      #expect(watcher.holds.map(\.hold.began) == [began])
      #expect(watcher.holds.allSatisfy { $0.hold.length >= 100_000_000 })
    }
  }

  @Test("the hold of a thread that ends is added, and no later time is part of it")
  func threadEnd() throws {
    try watchHeldLoop { log, watcher, began in
      watcher.look()
      log.hasEnded.withLock { $0 = true }
      watcher.look()
      let ended = now
      watcher.finish()
      #expect(watcher.holds.map(\.hold.began) == [began])
      #expect(watcher.holds.allSatisfy { $0.hold.ended <= ended })
    }
  }

  @Test("a loop that is closed ends its hold")
  func closedLoop() throws {
    try EventLoop.run { loop in
      let log = PlannedLog()
      let watcher = watcher(log, on: loop)
      let began = now - 100_000_000
      // No descriptor of this process has this number.
      log.add(from: began - 1_000_000, to: began, source: .epoll(descriptor: .max))
      watcher.look()
      let held = now
      watcher.look()
      #expect(watcher.liveSummary.count == watcher.summary.count)
      watcher.finish()
      #expect(watcher.holds.count == 1 && watcher.holds.allSatisfy { $0.hold.ended <= held })
    }
  }

  /// A hold of this thread from 1,000 on, which a capture was asked for.
  private func heldThread(_ log: PlannedLog) throws -> WatchedThread {
    let thread = try #require(WatchedThread(log.threads()[0]))
    log.add(from: 0, to: 1000)
    #expect(advance(thread, log, at: 1500).isEmpty)
    thread.captured = 1000
    return thread
  }

  private func advance(
    _ thread: WatchedThread,
    _ log: PlannedLog,
    at time: UInt64
  ) -> [WatchedThread.EndedHold] {
    var lengths = Histogram()
    return thread.advance(log, now: time, threshold: 500, lengths: &lengths) { _, _ in }
  }

  private let capture = Capture(stack: [StackFrame("late", role: .program)])

  @Test("the first holds of a thread that polls are returned when it is known to run a loop")
  func earlyHolds() throws {
    let log = PlannedLog()
    let thread = try #require(WatchedThread(log.threads()[0]))
    for time in [UInt64(0), 1000] {
      log.add(from: time, to: time + 100, source: .poll(site: 1))
      #expect(advance(thread, log, at: time + 500).isEmpty)
    }
    thread.changeHold(at: 600) { $0.add(capture, at: 600) }
    log.add(from: 2000, to: 2100, source: .poll(site: 1))
    let ended = advance(thread, log, at: 2200)
    #expect(ended.map(\.hold.began) == [100, 1100] && ended.map(\.captures.count) == [1, 0])
  }

  @Test("a long hold keeps a number of observations that is bounded")
  func manyObservations() throws {
    let thread = try heldThread(PlannedLog())
    for time in 0..<100_000 as Range<UInt64>
    where time >= thread.open?.observations.nextDue ?? 0 {
      thread.add(Observation(time: 2000 + time, state: .runnable))
    }
    #expect(thread.open?.observations.elements.count ?? 0 < 64)
  }

  @Test("a capture that was taken after the end of its hold is not of the hold")
  func lateCapture() throws {
    let log = PlannedLog()
    let thread = try heldThread(log)
    thread.changeHold(at: 1800) { $0.add(capture, at: 1800) }
    // The watch has not seen the end yet.
    thread.changeHold(at: 2100) { $0.add(capture, at: 2100) }
    log.add(from: 2000, to: 2200)
    let ended = try #require(advance(thread, log, at: 2300).first)
    #expect(ended.open.captures.elements.map(\.time) == [1800, 2100])
    #expect(ended.captures.count == 1)
  }

  @Test("a capture is of the hold in which it was taken, and not of the one that asked for it")
  func laterHold() throws {
    let log = PlannedLog()
    let thread = try heldThread(log)
    log.add(from: 2000, to: 2200)
    thread.unfinished = advance(thread, log, at: 2300).first
    for time in [UInt64(1900), 2100, 2250] {
      thread.changeHold(at: time) { $0.add(capture, at: time) }
    }
    #expect(thread.unfinished?.open.captures.elements.map(\.time) == [1900])
    #expect(thread.open?.captures.elements.map(\.time) == [2250])
  }

  @Test("a stop by this watch is not a stop by a debugger")
  func ownStop() throws {
    let thread = try heldThread(PlannedLog())
    thread.add(Observation(time: 1600, state: .stopped, isTraced: true))
    #expect(thread.open?.observations.elements.isEmpty == true)
    thread.add(Observation(time: 1600, state: .stopped))
    thread.captured = nil
    thread.add(Observation(time: 1700, state: .stopped, isTraced: true))
    #expect(thread.open?.observations.elements.count == 2)
  }
}
