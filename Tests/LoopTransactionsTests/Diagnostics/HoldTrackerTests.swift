import Testing

@testable import LoopTransactions

/// A tracker with a threshold of 100 ms, and a slot that the test sets.
private struct Tracked {
  var tracker = HoldTracker(threshold: 100_000_000, rate: .nanoseconds)
  var reading = WorkSlot.Reading(hold: 0, since: 0, ended: 0, work: 0, began: 0)
  var usage = HoldTracker.Usage(thread: 1, cpuTime: 0, delay: 0, runs: 1, waiting: .unknown)
  var asked = 0

  /// Begins a tick at `milliseconds` that runs `work`.
  mutating func begin(_ hold: UInt64, at milliseconds: UInt64, work: UInt64 = 7) {
    reading.hold = hold
    reading.since = milliseconds * 1_000_000
    run(work, at: milliseconds)
  }

  mutating func run(_ work: UInt64, at milliseconds: UInt64) {
    reading.work = work
    reading.began = milliseconds * 1_000_000
  }

  /// Ends the tick at `milliseconds`.
  mutating func end(at milliseconds: UInt64) {
    reading.since = 0
    reading.work = 0
    reading.ended = milliseconds * 1_000_000
  }

  /// Looks at `milliseconds`.
  mutating func look(at milliseconds: UInt64) -> HoldTracker.Hold? {
    let usage = usage
    var asked = asked
    defer { self.asked = asked }
    return tracker.update(with: reading, at: milliseconds * 1_000_000) {
      asked += 1
      return usage
    }
  }
}

@Suite("HoldTracker")
struct HoldTrackerTests {
  @Test("a tick is reported once when it passes the threshold, and once when it ends")  // X4
  func reports() {
    var tracked = Tracked()
    tracked.begin(1, at: 1000)
    #expect(tracked.look(at: 1050) == nil)
    #expect(tracked.look(at: 1101)?.isOver == false)
    #expect(tracked.look(at: 1200) == nil)
    tracked.end(at: 1250)
    let last = tracked.look(at: 1260)
    #expect(last?.isOver == true)
    // The loop tells the end, not the time of the look.
    #expect(last?.duration == 250_000_000)
    #expect(tracked.look(at: 1300) == nil)
  }

  @Test("a tick that passes the threshold and ends between two looks is reported when it is over")
  func endsUnseen() {  // X4
    var tracked = Tracked()
    tracked.begin(1, at: 1000)
    #expect(tracked.look(at: 1050) == nil)
    tracked.end(at: 1150)
    let hold = tracked.look(at: 1151)
    #expect(hold?.isOver == true)
    #expect(hold?.duration == 150_000_000)
    #expect(hold?.isOnePiece == true)
    #expect(tracked.look(at: 1200) == nil)
  }

  @Test("a tick that ended unseen has a cause, by its thread's times")  // X4
  func causesOfUnseen() {
    func cause(
      first: ThreadState.Waiting = .forCPU,
      _ change: (inout HoldTracker.Usage) -> Void
    ) -> LoopHold.Cause? {
      var tracked = Tracked()
      tracked.usage = HoldTracker.Usage(thread: 1, cpuTime: 9, delay: 5, runs: 3, waiting: first)
      tracked.begin(1, at: 1000)
      #expect(tracked.look(at: 1050) == nil)
      tracked.end(at: 1150)
      // By now the thread waits for events.
      tracked.usage.waiting = .blocked("epoll_wait")
      change(&tracked.usage)
      return tracked.look(at: 1151)?.cause
    }
    #expect(cause { $0.cpuTime += 90_000_000 } == .computing)
    #expect(cause { $0.delay += 90_000_000 } == .notScheduled)
    #expect(cause(first: .blocked("read")) { $0.runs += 1 } == .blocked(in: "read"))
    // It kept its CPU, which another machine used.
    #expect(cause { _ in } == .notScheduled)
    #expect(cause { $0.cpuTime += 20_000_000 } == .notScheduled)
    // It blocked in the tick, and nothing tells where.
    #expect(cause { $0.runs += 1 } == .unknown)
    #expect(cause { ($0.runs, $0.cpuTime) = (4, 20_000_000) } == .unknown)
    #expect(cause(first: .unknown) { _ in } == .unknown)
    // The system does not count.
    #expect(cause { ($0.runs, $0.delay) = (0, 0) } == .unknown)
    // Another thread of the host runs the loop now.
    #expect(cause { ($0.thread, $0.cpuTime) = (2, 900_000_000) } == .unknown)
  }

  @Test("a hold has the thread that ran it, also if another one runs the loop later")  // X4
  func threads() {
    var tracked = Tracked()
    tracked.begin(1, at: 1000)
    #expect(tracked.look(at: 1110)?.thread == 1)
    tracked.end(at: 1150)
    tracked.usage.thread = 2
    #expect(tracked.look(at: 1151)?.thread == 1)
  }

  @Test("CPU time after the end of a tick that was blocked is not part of it")  // X4
  func blockedUnseen() {
    var tracked = Tracked()
    tracked.usage.waiting = .blocked("read")
    tracked.begin(1, at: 1000)
    #expect(tracked.look(at: 1050) == nil)
    tracked.end(at: 1150)
    tracked.begin(2, at: 1150)
    tracked.usage.cpuTime = 150_000_000
    tracked.usage.waiting = .forCPU
    let hold = tracked.look(at: 1300)
    #expect(hold?.duration == 150_000_000)
    #expect(hold?.cause == .blocked(in: "read"))
    #expect(hold?.cpuTime == 0)
  }

  @Test("two short ticks and the sleep between them are not reported as one hold")  // X4
  func unseenSleep() {
    var tracked = Tracked()
    tracked.begin(1, at: 1000)
    #expect(tracked.look(at: 1020) == nil)
    tracked.end(at: 1021)
    tracked.begin(2, at: 1105)
    tracked.end(at: 1106)
    #expect(tracked.look(at: 1150) == nil)
  }

  @Test("a tick under the threshold is not reported, and the thread is not asked")  // X4
  func short() {
    var tracked = Tracked()
    for hold in 1..<100 as Range<UInt64> {
      tracked.begin(hold, at: hold * 20)
      #expect(tracked.look(at: hold * 20 + 12) == nil)
      tracked.end(at: hold * 20 + 15)
      #expect(tracked.look(at: hold * 20 + 16) == nil)
    }
    #expect(tracked.asked == 0)
  }

  @Test("a tick that begins right after a long one does not extend it")  // X4
  func nextTick() {
    var tracked = Tracked()
    tracked.begin(1, at: 1000)
    #expect(tracked.look(at: 1150)?.duration == 150_000_000)
    tracked.end(at: 1180)
    tracked.begin(2, at: 1181)
    #expect(tracked.look(at: 1190)?.duration == 180_000_000)
    #expect(tracked.look(at: 1250) == nil)
    #expect(tracked.look(at: 1290)?.isOver == false)
  }

  @Test("after several short ticks, the end is the time of the look at the latest")  // X4
  func missedEnd() {
    var tracked = Tracked()
    tracked.begin(1, at: 1000)
    _ = tracked.look(at: 1150)
    tracked.end(at: 1160)
    tracked.begin(5, at: 1165)
    #expect(tracked.look(at: 1166)?.duration == 166_000_000)
  }

  @Test("the largest part of the time is the cause")  // X4
  func causes() {
    func cause(_ change: (inout HoldTracker.Usage, UInt64) -> Void) -> LoopHold.Cause? {
      var tracked = Tracked()
      tracked.begin(1, at: 1000)
      var last: HoldTracker.Hold?
      for time in stride(from: 1020 as UInt64, through: 1120, by: 10) {
        change(&tracked.usage, 10_000_000)
        last = tracked.look(at: time) ?? last
      }
      return last?.cause
    }
    #expect(cause { $0.cpuTime += $1 } == .computing)
    #expect(cause { $0.delay += $1 } == .notScheduled)
    #expect(cause { usage, _ in usage.waiting = .forCPU } == .notScheduled)
    #expect(cause { usage, _ in usage.waiting = .blocked("read") } == .blocked(in: "read"))
    // Half of a CPU that another thread uses too.
    let shared = cause { usage, time in
      usage.cpuTime += time / 2
      usage.delay += time / 2
    }
    #expect(shared == .notScheduled)
    #expect(cause { usage, _ in usage.waiting = .unknown } == .unknown)
  }

  @Test("the time of each piece of work is counted, and the longest piece")  // X4
  func works() throws {
    var tracked = Tracked()
    let (post, timer) = (OwnerWord(.post).rawValue, OwnerWord(.timer).rawValue)
    tracked.begin(1, at: 1000, work: post)
    _ = tracked.look(at: 1020)
    tracked.run(timer, at: 1020)
    _ = tracked.look(at: 1080)
    tracked.run(post, at: 1080)
    let first = tracked.look(at: 1100)
    #expect(first?.works == [post: 40_000_000, timer: 60_000_000])
    #expect(first?.longestPiece == 60_000_000)
    let hold = LoopHold(try #require(first), thread: "t")
    #expect(hold.isOnePiece)
    #expect(hold.works.map(\.share) == [0.6, 0.4])
    #expect(hold.work.kind == .timer)
  }

  @Test("readings in wrong order do not trap")  // X4
  func disorder() {
    var tracked = Tracked()
    tracked.begin(1, at: 1000)
    #expect(tracked.look(at: 900) == nil)
    _ = tracked.look(at: 1150)
    #expect(tracked.look(at: 1100) == nil)
    tracked.usage.cpuTime = 0
    tracked.end(at: 900)
    #expect(tracked.look(at: 1090)?.isOver == true)
    #expect(tracked.tracker.recordingDidEnd(at: 0) == nil)
  }
}

@Suite("ThreadState")
struct ThreadStateTests {
  @Test(
    "a line of the file `syscall` tells why a thread waits",
    arguments: [
      ("running\n", ThreadState.Waiting.forCPU), ("-1 0x7f 0x55\n", .blocked("page fault")),
      ("99999 0x0 0x0 0x0\n", .blocked("system call 99999")), ("", .blocked("")),
      ("garbage", .blocked("")),
    ]
  )  // X4
  func lines(line: String, waiting: ThreadState.Waiting) {
    #expect(ThreadState.waiting(line) == waiting)
  }

  @Test("a name with parentheses does not hide the state of a thread")  // X4
  func states() {
    #expect(ThreadState.state(in: Array("12 (a) b (c)) S 1 1".utf8)) == UInt8(ascii: "S"))
    #expect(ThreadState.state(in: Array("12 (a".utf8)) == nil)
    #expect(ThreadState.state(in: Array("12 (a)".utf8)) == nil)
  }

  @Test("the CPU time of this thread grows, and an ended thread has none")  // X4
  func cpuTime() {
    let thread = System.threadNumber
    let before = ThreadState.cpuTime(of: thread)
    #if os(Linux)
      #expect(inLoop { ThreadState.cpuTime(of: thread) > before })
      #expect(ThreadState.waiting(of: thread) == .forCPU)
    #endif
    // No thread has a number over the system's limit of 4,194,304.
    let none: UInt32 = 4_194_305
    #expect(ThreadState.cpuTime(of: none) == 0)
    #expect(ThreadState.scheduling(of: none) == (0, 0))
    #expect(ThreadState.waiting(of: none) == .unknown)
    #expect(ThreadState.name(of: none) == "")
  }

  private func inLoop(_ condition: () -> Bool) -> Bool {
    for _ in 0..<1_000_000_000 where condition() { return true }
    return false
  }
}
