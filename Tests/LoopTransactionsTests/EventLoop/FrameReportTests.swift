import LoopTransactionsTesting
import TestSupport
import Testing

@testable import LoopTransactions

/// A clock with 100 frames per second, and its reports.
private final class Frames {
  private(set) var reports: [FrameReport] = []
  let clock: FrameClock

  init(_ loop: EventLoop, _ body: @escaping (FrameClock.Frame) -> Void = { _ in }) throws {
    let file: StaticString = "Test/Clock.swift"
    clock = try FrameClock(on: loop, framesPerSecond: 100, fileID: file, line: 7, body)
    clock.frameHandler = { [unowned self] in reports.append($0) }
  }

  var lines: [String] { reports.map(\.description) }
}

@Suite("Frame reports")
struct FrameReportTests {
  @Test("a late frame names the longest piece of work since the previous frame")  // X6
  func work() throws {
    try withSteppedLoop { stepped in
      let frames = try Frames(stepped.loop)
      stepped.advance(by: .milliseconds(10))
      stepped.loop.budget = .unlimited
      stepped.loop.post { stepped.spend(.milliseconds(5)) }
      let line: UInt = #line + 1
      stepped.loop.post { stepped.spend(.milliseconds(26)) }
      stepped.advance(by: .milliseconds(1))
      #expect(
        frames.lines == [
          "frame 1 was in time",
          "frame 4 was 21.0 ms late: post \(#fileID):\(line) ran for 26.0 ms",
        ]
      )
      let late = try #require(frames.reports.last)
      #expect(late.frame.missed == 2)
      #expect(late.start == late.frame.deadline.advanced(by: .milliseconds(1)))
      guard case .work(let work, .milliseconds(26)) = late.cause else {
        Issue.record("the cause is \(String(describing: late.cause))")
        return
      }
      #expect(work.kind == .post && late.longest?.work == work)
      frames.clock.cancel()
    }
  }

  @Test("the closure of a frame makes the next frame late, and is named")  // X6
  func ownWork() throws {
    try withSteppedLoop { stepped in
      let frames = try Frames(stepped.loop) { frame in
        if frame.index == 1 { stepped.spend(.milliseconds(25)) }
      }
      stepped.advance(by: .milliseconds(40))
      #expect(
        frames.lines == [
          "frame 1 was in time",
          "frame 3 was 15.0 ms late: timer Test/Clock.swift:7 ran for 25.0 ms",
          "frame 4 was in time",
        ]
      )
      let first = try #require(frames.reports.first)
      #expect(first.start.duration(to: first.end) == .milliseconds(25))
      #expect(first.longest == nil)
      frames.clock.cancel()
    }
  }

  @Test("a frame that is late because the loop was not run names no work")  // X6
  func notRun() throws {
    try withSteppedLoop { stepped in
      let frames = try Frames(stepped.loop)
      stepped.advance(by: .milliseconds(10))
      // A short piece of work, and then nothing runs.
      stepped.loop.post { stepped.spend(.milliseconds(2)) }
      stepped.step()
      stepped.spend(.milliseconds(14))
      stepped.step()
      let late = try #require(frames.reports.last)
      #expect(late.lateness == .milliseconds(6))
      #expect(late.cause == .notRun)
      #expect(late.longest?.duration == .milliseconds(2))
      #expect("\(late)" == "frame 2 was 6.00 ms late: the loop was not run")
      frames.clock.cancel()
    }
  }

  @Test("a frame that the loop polled for is late because the thread was not scheduled")  // X6
  func notScheduled() {
    var time: UInt64 = 100_000_000
    var recorder = Recorder(metrics: MetricsCells(), virtualTime: { time }, isInTick: false)
    let meter = FrameMeter()
    recorder.frameMeters = [meter]
    func reading(_ ticked: UInt64, due: UInt64) -> FrameMeter.Reading {
      _ = recorder.endTick(at: time)
      recorder.willPoll(mayBlock: true)
      time += ticked
      recorder.enterTick(polledAt: 0)
      return recorder.beginFrame(meter, due: due)
    }
    let late = reading(30_000_000, due: 110_000_000)
    #expect(late.wasPolling && late.waited == 20_000_000)
    let frame = FrameClock.Frame(index: 1, deadline: LoopClock.now, missed: 0)
    let lateness = Duration.milliseconds(20)
    let now = LoopClock.now
    let report = FrameReport(frame, start: now, end: now, lateness: lateness, late)
    #expect(report.cause == .notScheduled)
    #expect("\(report)" == "frame 1 was 20.0 ms late: the loop's thread was not scheduled")
    // Most of the lateness is before the loop began to wait.
    time += 40_000_000
    #expect(reading(5_000_000, due: 140_000_000).waited == 5_000_000)
    recorder.stop()
  }

  @Test("each of two clocks has the longest piece since its own previous frame")  // X6
  func twoClocks() throws {
    try withSteppedLoop { stepped in
      let fast = try Frames(stepped.loop)
      var slow: [FrameReport] = []
      let clock = try FrameClock(on: stepped.loop, framesPerSecond: 20) { _ in }
      clock.frameHandler = { slow.append($0) }
      stepped.loop.post { stepped.spend(.milliseconds(8)) }
      stepped.advance(by: .milliseconds(50))
      #expect(fast.reports.map { $0.longest?.duration } == [.milliseconds(8), nil, nil, nil, nil])
      #expect(slow.map { $0.longest?.duration } == [.milliseconds(8)])
      fast.clock.cancel()
      clock.cancel()
    }
  }

  @Test("a tick's report has its longest piece, also if a frame follows it in the tick")  // X2, X6
  func tickReport() throws {
    try withSteppedLoop { stepped in
      let frames = try Frames(stepped.loop)
      var ticks: [TickReport] = []
      stepped.loop.tickHandler = { ticks.append($0) }
      // Both timers are due in one tick.
      stepped.loop.addTimer(after: .milliseconds(9)) { _ in stepped.spend(.milliseconds(7)) }
      stepped.spend(.milliseconds(10))
      stepped.step()
      #expect(frames.reports.map { $0.longest?.duration } == [.milliseconds(7)])
      #expect(ticks.compactMap { $0.longest?.duration }.max() == .milliseconds(7))
      // The next frame does not name the piece again.
      stepped.advance(by: .milliseconds(10))
      #expect(frames.reports.last?.longest == nil && frames.reports.count == 2)
      frames.clock.cancel()
    }
  }

  @Test("a host's frames are numbered, and late by the deadline that it tells")  // X6
  func hosted() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      var reports: [FrameReport] = []
      let clock = FrameClock(hostedOn: loop) {}
      clock.frameHandler = { reports.append($0) }
      clock.beginFrame()
      let due = stepped.now
      stepped.step()
      stepped.spend(.milliseconds(30))
      let target = Drawn { stepped.spend(.milliseconds(4)) }
      loop.commit(target, Drawn.draw, atNextFrameOf: clock)
      clock.beginFrame(deadline: due)
      #expect(reports.map(\.frame.index) == [1, 2])
      #expect(reports.map(\.lateness) == [.zero, .milliseconds(30)])
      #expect(reports.last?.cause == .notRun)
      let text = "frame 2 was 30.0 ms late: the loop was not run"
      #expect(reports.last?.description == text)
      // The commits are part of the frame.
      #expect(reports.last.map { $0.start.duration(to: $0.end) } == .milliseconds(4))
      clock.cancel()
    }
  }

  @Test("a clock without a closure reports the frames that commits asked for")  // X6
  func requested() throws {
    try withSteppedLoop { stepped in
      var reports: [FrameReport] = []
      let clock = try FrameClock(on: stepped.loop, framesPerSecond: 100)
      clock.frameHandler = { reports.append($0) }
      stepped.advance(by: .milliseconds(25))
      #expect(reports.isEmpty)
      stepped.loop.commit(Drawn {}, Drawn.draw, atNextFrameOf: clock)
      stepped.advance(by: .milliseconds(25))
      #expect(reports.map(\.frame.index) == [3])
      clock.cancel()
    }
  }

  @Test("a late frame that commits asked for counts the missed ones, and is the latest")  // X6
  func requestedLate() throws {
    try withSteppedLoop { stepped in
      var reports: [FrameReport] = []
      let clock = try FrameClock(on: stepped.loop, framesPerSecond: 100)
      clock.frameHandler = { reports.append($0) }
      for late in [36, 3] {
        stepped.loop.commit(Drawn {}, Drawn.draw, atNextFrameOf: clock)
        stepped.loop.post { stepped.spend(.milliseconds(late)) }
        stepped.advance(by: .milliseconds(20))
      }
      #expect(reports.map(\.frame.index) == [3, 4])
      #expect(reports.map(\.frame.missed) == [2, 0])
      #expect(reports.map(\.lateness) == [.milliseconds(26), .zero])
      #expect(reports[0].description.hasPrefix("frame 3 was 26.0 ms late: post"))
      clock.cancel()
    }
  }

  @Test("a host's frames that pass while commits wait are missed")  // X6
  func hostedMissed() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      var reports: [FrameReport] = []
      let clock = FrameClock(hostedOn: loop) {}
      clock.frameHandler = { reports.append($0) }
      let (start, target) = (stepped.now, Drawn {})
      // When a commit asks for a frame, the host's deadline, and when it announces it.
      for (commit, due, now) in [
        (0, 10, 10), (10, 20, 20),
        // A frame that the host left out, and one that it announced too late.
        (20, 40, 40), (40, 50, 75), (75, 80, 80),
        // Nothing was committed for most of the time.
        (196, 200, 200),
      ] {
        stepped.spend(to: start, commit)
        loop.commit(target, Drawn.draw, atNextFrameOf: clock)
        stepped.spend(to: start, now)
        clock.beginFrame(deadline: start.advanced(by: .milliseconds(due)))
      }
      #expect(reports.map(\.frame.missed) == [0, 0, 1, 2, 0, 0])
      let late = [0, 0, 10, 25, 0, 0].map { Duration.milliseconds($0) }
      #expect(reports.map(\.lateness) == late)
      #expect(reports[3].frame.deadline == start.advanced(by: .milliseconds(70)))
      clock.cancel()
    }
  }

  @Test("a frame that comes early, a slower screen and a far deadline count no missed frame")  // X6
  func hostedUneven() {
    var (frames, now) = (HostedFrames(), UInt64(1_000_000_000))
    func missed(after milliseconds: UInt64) -> Int {
      _ = frames.request(at: now)
      now += milliseconds * 1_000_000
      return frames.begin(due: now, at: now).missed
    }
    #expect((0..<10).allSatisfy { _ in missed(after: 10) == 0 })
    #expect(missed(after: 2) == 0)
    for _ in 0..<120 { _ = missed(after: 10) }
    #expect((0..<10).allSatisfy { _ in missed(after: 10) == 0 })
    #expect(missed(after: 30) == 2)
    for _ in 0..<120 { _ = missed(after: 25) }
    #expect((0..<10).allSatisfy { _ in missed(after: 25) == 0 })
    frames = HostedFrames()
    #expect(frames.begin(due: 1, at: 1).missed == 0)
    #expect(frames.begin(due: .max, at: 2).missed == 0)
  }

  @Test("without a handler, and after a cancel or a close, the loop measures nothing")  // X6
  func off() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      let frames = try Frames(loop)
      #expect(loop.recorder != nil)
      frames.clock.frameHandler = nil
      #expect(loop.recorder == nil && frames.clock.frameHandler == nil)
      stepped.advance(by: .milliseconds(10))
      #expect(frames.reports.isEmpty)
      frames.clock.frameHandler = { _ in }
      #expect(loop.recorder != nil)
      frames.clock.cancel()
      #expect(loop.recorder == nil && frames.clock.frameHandler == nil)
      frames.clock.frameHandler = { _ in }
      #expect(loop.recorder == nil)
    }
  }

  @Test("a handler may replace itself, and may cancel the clock")  // X6
  func replaced() throws {
    try withSteppedLoop { stepped in
      let clock = try FrameClock(on: stepped.loop, framesPerSecond: 100) { _ in }
      clock.frameHandler = { _ in
        stepped.trace.record("first")
        clock.frameHandler = { _ in
          stepped.trace.record("second")
          clock.cancel()
        }
      }
      stepped.advance(by: .milliseconds(50))
      #expect(stepped.trace.events == ["first", "second"])
      #expect(!clock.isActive)
    }
  }
}

extension SteppedLoop {
  /// Lets time pass until `milliseconds` after `start`.
  fileprivate func spend(to start: LoopClock.Instant, _ milliseconds: Int) {
    spend(now.duration(to: start.advanced(by: .milliseconds(milliseconds))))
  }
}

private final class Drawn {
  static let draw = Selector<Drawn>("draw") { $0.body() }
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }
}
