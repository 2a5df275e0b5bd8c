import LoopWatch
import Testing

@Suite("SampledThread")
struct SampledThreadTests {
  private static let loop = WaitSource.epoll(descriptor: 5)

  /// The lengths of the holds of a thread with these samples, one per 1,000 ns.
  private func holds(_ samples: [(source: WaitSource?, slices: UInt64)]) -> [UInt64] {
    var (thread, tracker, holds) = (SampledThread(), HoldTracker(), [UInt64]())
    for (index, sample) in samples.enumerated() {
      let slices = TimeSlices(count: sample.slices)
      thread.advance(to: sample.source, slices: slices, at: UInt64(index + 1) * 1000)
      for wait in thread.takeWaits() {
        if let hold = tracker.add(wait, isOpen: { _ in true }) { holds.append(hold.length) }
      }
    }
    return holds
  }

  @Test("a thread that runs for three samples holds its loop for three periods")
  func hold() {
    let busy: (WaitSource?, UInt64) = (nil, 2)
    #expect(holds([(Self.loop, 1), busy, busy, busy, (Self.loop, 2)]) == [3000])
  }

  @Test("a thread that ran between two samples of a wait made a tick")
  func shortTick() {
    #expect(holds([(Self.loop, 1), (Self.loop, 2), (Self.loop, 2)]) == [0])
  }

  @Test("a wait for another source is part of the hold")
  func nested() {
    let nested: (WaitSource?, UInt64) = (.epoll(descriptor: 9), 2)
    #expect(holds([(Self.loop, 1), nested, nested, (Self.loop, 3)]) == [2000])
  }
}
