import LoopWatch
import Testing

@Suite("SampledThread")
struct SampledThreadTests {
  private static let loop = WaitSource.epoll(descriptor: 5)
  private static let nested = WaitSource.epoll(descriptor: 9)
  private static let waits = SampledState.waiting(loop)

  private struct Sample {
    let state: SampledState
    var slices = TimeSlices()
    var entries: [UInt64] = []

    init(
      _ state: SampledState,
      ran: UInt64 = 0,
      queued: UInt64 = 0,
      count: UInt64 = 1,
      entries: [UInt64] = []
    ) {
      self.state = state
      self.entries = entries
      slices = TimeSlices(running: ran, waiting: queued, count: count)
    }
  }

  /// The holds of a thread with these samples, one per 1,000 ns.
  private func holds(_ samples: Sample...) -> [Hold] {
    var (thread, tracker, holds) = (SampledThread(), HoldTracker(), [Hold]())
    for (index, sample) in samples.enumerated() {
      thread.advance(
        to: sample.state,
        slices: sample.slices,
        entries: sample.entries.map { WaitEntry(time: $0, source: Self.loop) },
        at: UInt64(index + 1) * 1000
      )
      for wait in thread.takeWaits() {
        if let hold = tracker.add(wait, isOpen: { _ in true }) { holds.append(hold) }
      }
    }
    return holds
  }

  private func hold(_ began: UInt64, _ ended: UInt64) -> Hold { Hold(began: began, ended: ended) }

  @Test("a thread that was not seen asleep holds its loop for as long as it was awake")
  func awake() {
    let found = holds(
      Sample(Self.waits),
      Sample(.running, count: 2),
      Sample(.running, ran: 600, queued: 100, count: 2),
      Sample(.running, ran: 1800, queued: 100, count: 3),
      Sample(Self.waits, ran: 2000, queued: 700, count: 3)
    )
    #expect(found == [hold(1500, 4200)])
  }

  @Test("a wait ended as long before a sample of a running thread as the thread was awake")
  func begin() {
    let found = holds(
      Sample(Self.waits),
      Sample(.running, ran: 500, queued: 300, count: 2),
      Sample(Self.waits, ran: 1600, queued: 300, count: 2)
    )
    #expect(found == [hold(1200, 3000)])
    // Its time was counted last when it began to run.
    let notCounted = holds(
      Sample(Self.waits),
      Sample(.running, ran: 200, count: 2),
      Sample(Self.waits, ran: 1000, count: 2)
    )
    #expect(notCounted == [hold(1400, 2400)])
  }

  @Test("a thread that slept at a sample ends its hold after the time that it was awake since")
  func asleep() {
    let found = holds(
      Sample(Self.waits),
      Sample(.blocked, ran: 400, count: 2),
      Sample(.blocked, ran: 400, count: 2),
      Sample(Self.waits, ran: 700, count: 3)
    )
    #expect(found == [hold(1300, 3650)])
  }

  @Test("a short sleep at a sample is part of the hold")
  func asleepBriefly() {
    let atBegin = holds(
      Sample(Self.waits),
      Sample(.blocked, count: 2),
      Sample(Self.waits, ran: 200, count: 3)
    )
    #expect(atBegin == [hold(1500, 2600)])
    let later = holds(
      Sample(Self.waits),
      Sample(.running, count: 2),
      Sample(.blocked, ran: 1400, count: 2),
      Sample(Self.waits, ran: 1500, count: 3)
    )
    #expect(later == [hold(1500, 3550)])
  }

  @Test("a thread that slept between the samples ends its hold between two of them")
  func asleepUnseen() {
    let found = holds(
      Sample(Self.waits),
      Sample(.running, count: 2),
      Sample(.running, ran: 100, count: 3),
      Sample(Self.waits, ran: 300, count: 4)
    )
    #expect(found == [hold(1500, 3500)])
  }

  @Test("the end of a hold is not before the last sample that saw it")
  func lateEnd() {
    let found = holds(
      Sample(Self.waits),
      Sample(.running, count: 2),
      Sample(.running, count: 2),
      Sample(Self.waits, ran: 1200, count: 2)
    )
    #expect(found == [hold(1500, 3000)])
  }

  @Test("ticks between two samples of a wait have the mean of the time awake")
  func shortTicks() {
    let found = holds(
      Sample(Self.waits),
      Sample(Self.waits, ran: 300, count: 2),
      Sample(Self.waits, ran: 900, count: 4)
    )
    #expect(found.map(\.length) == [300, 300])
  }

  @Test("ticks before a late sample have no known length")
  func lateSample() {
    var (thread, tracker) = (SampledThread(), HoldTracker())
    thread.advance(to: Self.waits, slices: TimeSlices(count: 1), at: 1_000_000)
    let slices = TimeSlices(running: 30_000_000, count: 2)
    thread.advance(to: Self.waits, slices: slices, at: 40_000_000)
    let holds = thread.takeWaits().compactMap { tracker.add($0, isOpen: { _ in true }) }
    #expect(holds.map(\.length) == [0])
  }

  @Test("a wait for another source is part of the hold")
  func nested() {
    let found = holds(
      Sample(Self.waits),
      Sample(.waiting(Self.nested), ran: 100, count: 2),
      Sample(.waiting(Self.nested), ran: 100, count: 2),
      Sample(Self.waits, ran: 400, count: 3)
    )
    #expect(found == [hold(1450, 3650)])
  }

  @Test("a breakpoint ends a hold, and a wait without sleep begins the next one")
  func entry() {
    let found = holds(
      Sample(Self.waits),
      Sample(.running, count: 2),
      Sample(.running, count: 2, entries: [2600, 2700]),
      Sample(Self.waits, ran: 2000, count: 2)
    )
    #expect(found == [hold(1500, 2600), hold(2600, 2700), hold(2700, 3500)])
  }

  @Test("a wait in which the thread slept after a breakpoint ends before the next sample")
  func entryAsleep() {
    let found = holds(
      Sample(Self.waits),
      Sample(.running, count: 2),
      Sample(.running, ran: 1700, count: 3, entries: [2600]),
      Sample(Self.waits, ran: 2000, count: 3)
    )
    #expect(found == [hold(1500, 2600), hold(2800, 3500)])
  }

  @Test("a wait that began at a breakpoint goes on while samples see it")
  func entrySeen() {
    let found = holds(
      Sample(Self.waits),
      Sample(.running, count: 2),
      Sample(Self.waits, ran: 1000, count: 3, entries: [2600]),
      Sample(.running, ran: 1000, count: 4),
      Sample(Self.waits, ran: 1800, count: 4)
    )
    #expect(found == [hold(1600, 2600), hold(3500, 4300)])
  }

  @Test("a hold that a breakpoint ended began as long before as the thread was awake")
  func exactBegin() {
    let found = holds(
      Sample(Self.waits),
      Sample(.running, count: 2),
      Sample(Self.waits, ran: 1100, queued: 150, count: 3, entries: [2600])
    )
    #expect(found == [hold(1350, 2600)])
  }

  @Test("ticks without sleep after the hold and a tick just before it do not change its begin")
  func exactBeginAmongTicks() {
    let found = holds(
      Sample(Self.waits),
      Sample(.running, count: 2),
      Sample(.running, ran: 20, count: 3),
      Sample(Self.waits, ran: 1320, count: 3, entries: [3400, 3600])
    )
    #expect(found.first == hold(2280, 3400))
  }

  @Test("other time awake does not tell the begin of a hold that a breakpoint ended")
  func inexactBegin() {
    let busy = holds(
      Sample(Self.waits),
      Sample(Self.waits, ran: 400, count: 2),
      Sample(.running, ran: 400, count: 3),
      Sample(Self.waits, ran: 1700, count: 3, entries: [3600])
    )
    #expect(busy.last == hold(2500, 3600))
    let sleep = holds(
      Sample(Self.waits),
      Sample(.running, count: 2),
      Sample(.running, count: 2),
      Sample(Self.waits, ran: 500, count: 3, entries: [3600])
    )
    #expect(sleep == [hold(1500, 3600)])
  }
}
