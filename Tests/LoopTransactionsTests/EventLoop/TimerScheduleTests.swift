import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("TimerSchedule")
struct TimerScheduleTests {
  @Test("a one-shot timer has no next deadline")  // L10
  func once() {
    let step = TimerSchedule.once.step(from: 5, at: 99)
    #expect(step == TimerSchedule.Step(due: 5, missed: 0, next: nil))
  }

  @Test("a periodic schedule steps as if it counted the deadlines one by one")  // L10
  func periods() {
    for interval in UInt64(1)...7 {
      for now in UInt64(10)...40 {
        var due: UInt64 = 10
        var missed = 0
        while due + interval <= now {
          due += interval
          missed += 1
        }
        let expected = TimerSchedule.Step(due: due, missed: missed, next: due + interval)
        let step = TimerSchedule.every(interval).step(from: 10, at: now)
        #expect(step == expected, "interval \(interval), now \(now)")
      }
    }
  }

  @Test("a deadline is the last one if the next one would exceed the clock's range")  // L10
  func overflow() {
    let step = TimerSchedule.every(10).step(from: .max - 5, at: .max - 5)
    #expect(step == TimerSchedule.Step(due: .max - 5, missed: 0, next: nil))
  }

  private static let rates: [Double] = [0.5, 1, 23.976, 29.97, 60, 144, 1000, 99_999, 100_000]

  @Test(
    "at every instant, the due frame is the newest one whose deadline has passed",
    arguments: rates
  )
  func newestFrame(rate: Double) throws {  // L10
    var generator = SeededGenerator(seed: 7)
    let origin: UInt64 = 123_456_789
    let schedule = TimerSchedule.frames(origin: origin, rate: rate)
    for _ in 0..<500 {
      let index = Int.random(in: 1...10_000_000, using: &generator)
      let deadline = TimerSchedule.deadline(ofFrame: index, origin, rate)
      let behind = Int.random(in: 0...5, using: &generator)
      let last = TimerSchedule.deadline(ofFrame: index + behind, origin, rate)
      let next = TimerSchedule.deadline(ofFrame: index + behind + 1, origin, rate)
      let expected = TimerSchedule.Step(due: last, missed: behind, next: next)
      // Step at the due frame's deadline, and at the last instant before the
      // next frame.
      #expect(schedule.step(from: deadline, at: last) == expected, "frame \(index)")
      #expect(schedule.step(from: deadline, at: next - 1) == expected, "frame \(index)")
      for time in [last, next - 1] {
        #expect(TimerSchedule.deadline(ofFrameAfter: time, origin, rate) == next, "frame \(index)")
      }
    }
  }

  @Test("frames do not drift: frame n is due n periods after the origin, to the nanosecond")
  func noDrift() {  // L10
    // 60 frames per second for one day.
    let index = 60 * 86_400
    #expect(TimerSchedule.deadline(ofFrame: index, 5, 60) == 86_400_000_000_005)
    let between = TimerSchedule.deadline(ofFrame: index + 1, 5, 60) - 86_400_000_000_005
    #expect(between == 16_666_667)
  }
}
