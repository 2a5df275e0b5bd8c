import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("FrameClock")
struct FrameClockTests {
  @Test("frame n is due n periods after the clock was created, without drift")  // L10
  func deadlines() throws {
    try withSteppedLoop { stepped in
      let start = stepped.now
      var frames: [FrameClock.Frame] = []
      let clock = try FrameClock(on: stepped.loop, framesPerSecond: 30) { frames.append($0) }
      stepped.advance(by: .seconds(60))
      clock.cancel()
      #expect(frames.map(\.index) == Array(1...1800))
      #expect(frames.last?.deadline == start.advanced(by: .seconds(60)))
      #expect(frames.allSatisfy { $0.missed == 0 })
    }
  }

  @Test(
    "a frame clock whose period exceeds the range of LoopClock waits, and does not trap",
    arguments: [1e9 / 0x1.FFFFFFFp63, 1e-11, .leastNonzeroMagnitude]
  )  // L10
  func slow(rate: Double) async {
    await #expect(processExitsWith: .success) { [rate] in
      try withLoop { loop in
        let clock = try FrameClock(on: loop, framesPerSecond: rate) { _ in
          Issue.record("a frame was delivered")
        }
        #expect(loop.run(.noWait) == .ticked)
        clock.cancel()
      }
    }
  }

  @Test("a late frame is the newest one due, and counts the missed ones")  // L10
  func missed() throws {
    try withSteppedLoop { stepped in
      let start = stepped.now
      let clock = try FrameClock(on: stepped.loop, framesPerSecond: 100) { frame in
        let due = start.duration(to: frame.deadline)
        stepped.trace.record("\(frame.index) at \(due), missed \(frame.missed)")
        if frame.index == 2 { stepped.spend(.milliseconds(45)) }
      }
      stepped.advance(by: .milliseconds(70))
      clock.cancel()
      #expect(
        stepped.trace.events == [
          "1 at 0.01 seconds, missed 0", "2 at 0.02 seconds, missed 0",
          "6 at 0.06 seconds, missed 3", "7 at 0.07 seconds, missed 0",
        ]
      )
    }
  }

  @Test("a clock cancelled in its own frame delivers no more frames")  // L10
  func cancelInside() throws {
    try withSteppedLoop { stepped in
      var clock: FrameClock?
      clock = try FrameClock(on: stepped.loop) { frame in
        stepped.trace.record("\(frame.index)")
        clock?.cancel()
        clock?.cancel()
      }
      #expect(clock?.isActive == true)
      stepped.advance(by: .seconds(1))
      #expect(stepped.trace.events == ["1"])
      #expect(clock?.isActive == false)
      clock = nil
    }
  }

  @Test("the loop retains a clock without other references until it is cancelled")  // L10, L14
  func keptByLoop() throws {
    try withSteppedLoop { stepped in
      var frames = 0
      weak var clock: FrameClock?
      func makeClock() throws -> FrameClock {
        try FrameClock(on: stepped.loop, framesPerSecond: 100) { _ in
          frames += 1
          if frames == 3 { clock?.cancel() }
        }
      }
      clock = try makeClock()
      stepped.advance(by: .seconds(1))
      #expect(frames == 3)
      #expect(clock == nil)
    }
  }

  @Test("a clock is cancelled when its loop closes, and may be released later")  // L10, L11
  func loopCloses() throws {
    let loop = try EventLoop()
    let clock = try FrameClock(on: loop) { _ in }
    try loop.close()
    #expect(!clock.isActive)
    clock.cancel()
  }

  @Test("on the system's clock, no frame is early")  // L10
  func realTime() throws {
    try withLoop { loop in
      var early = 0
      var indices: [Int] = []
      let clock = try FrameClock(on: loop, framesPerSecond: 1000) { frame in
        if loop.now < frame.deadline { early += 1 }
        indices.append(frame.index)
        if indices.count == 20 { loop.stop() }
      }
      loop.run()
      clock.cancel()
      #expect(early == 0)
      #expect(indices == indices.sorted())
      #expect(Set(indices).count == 20)
    }
  }
}
