import LoopWatch
import Testing

@Suite("HoldTracker")
struct HoldTrackerTests {
  private static let loop = WaitSource.epoll(descriptor: 5)
  private static let nested = WaitSource.epoll(descriptor: 17)

  private var tracker = HoldTracker()
  private var number: UInt64 = 0
  private var openDescriptors: Set<Int32> = [5, 17]

  /// Adds a wait, and returns the length of the hold that it ended.
  private mutating func wait(
    _ source: WaitSource = Self.loop,
    _ began: UInt64,
    _ ended: UInt64?,
    timeout: Int? = nil,
    events: Int = 1,
    stack: UInt32 = 0
  ) -> UInt64? {
    let wait = Wait(
      number: number,
      began: began,
      ended: ended,
      source: source,
      timeout: timeout,
      events: events,
      stack: stack
    )
    if ended != nil { number += 1 }
    let open = openDescriptors
    return tracker.add(wait) { open.contains($0) }?.length
  }

  @Test("a hold is the time between two waits; the time before the first wait is none")
  mutating func hold() {
    #expect(wait(Self.loop, 100, 110) == nil)
    #expect(tracker.heldSince == 110)
    #expect(wait(Self.loop, 150, 160) == 40)
    #expect(tracker.ticks == 2)
  }

  @Test("a wait that has not ended ends the hold, once")
  mutating func openWait() {
    _ = wait(Self.loop, 100, 110)
    #expect(wait(Self.loop, 150, nil) == 40)
    #expect(tracker.heldSince == nil)
    #expect(wait(Self.loop, 150, 200) == nil)
    #expect(wait(Self.loop, 230, nil) == 30)
  }

  @Test("a thread that is held when the watch begins has a hold until its first wait")
  mutating func assumedHold() {
    tracker.assumeHold(since: 30)
    tracker.assumeHold(since: 60)
    #expect(tracker.heldSince == 30 && !tracker.isLoop)
    #expect(wait(Self.loop, 100, 110) == 70)
    tracker.assumeHold(since: 140)
    #expect(wait(Self.loop, 150, nil) == 40)
    tracker.assumeHold(since: 160)
    #expect(tracker.heldSince == nil)
  }

  @Test("waits of a nested loop are part of the hold")
  mutating func nestedLoop() {
    _ = wait(Self.loop, 100, 110)
    #expect(wait(Self.nested, 120, 300) == nil)
    #expect(wait(.poll(site: 1), 310, 320) == nil)
    #expect(wait(Self.loop, 400, nil) == 290)
    #expect(tracker.ticks == 1)
  }

  @Test("a wait that ends long after its timeout begins the hold at the timeout")
  mutating func lateWait() {
    tracker.overrunLimit = 20_000_000
    _ = wait(Self.loop, 0, 1_000_000, timeout: 5)
    _ = wait(Self.loop, 2_000_000, 500_000_000, timeout: 5)
    #expect(tracker.heldSince == 7_000_000)
    #expect(wait(Self.loop, 501_000_000, nil, timeout: 5) == 494_000_000)
    #expect(tracker.ticks == 2)
  }

  @Test("a wait that should have ended holds the loop until the next wait")
  mutating func overdueWait() {
    tracker.overrunLimit = 20_000_000
    _ = wait(Self.loop, 0, nil, timeout: 5)
    let overdue = Wait(number: 0, began: 0, ended: nil, source: Self.loop, timeout: 5)
    tracker.noteOverdue(overdue, at: 24_000_000)
    #expect(tracker.heldSince == nil)
    tracker.noteOverdue(overdue, at: 30_000_000)
    #expect(tracker.heldSince == 5_000_000)
    #expect(wait(Self.loop, 0, nil, timeout: 5) == nil)
    #expect(wait(Self.loop, 0, 90_000_000, timeout: 5) == nil)
    #expect(wait(Self.loop, 95_000_000, nil) == 90_000_000)
    #expect(tracker.ticks == 1)
  }

  @Test("a loop that runs before the program's own is forgotten when it has been closed")
  mutating func replacedLoop() {
    _ = wait(Self.nested, 100, 110)
    openDescriptors = [5]
    #expect(wait(Self.loop, 200, 210) == nil)
    #expect(tracker.source == Self.loop)
    #expect(wait(Self.loop, 250, 260) == 40)
  }

  @Test("the last hold of a loop that was closed lasts until the last reading")
  mutating func closedLoop() {
    _ = wait(Self.loop, 100, 110)
    (tracker.readAt, openDescriptors) = (180, [17])
    #expect(wait(Self.nested, 200, 210) == 70)
    #expect(wait(Self.nested, 250, nil) == 40)
  }

  @Test("a loop whose descriptor is open keeps its thread")
  mutating func keptLoop() {
    _ = wait(Self.loop, 100, 110)
    _ = wait(Self.nested, 120, 130)
    #expect(tracker.source == Self.loop)
  }

  @Test("a thread that polls becomes a loop with the third wait at one place")
  mutating func polling() {
    _ = wait(.poll(site: 1), 100, 110)
    _ = wait(.poll(site: 2), 120, 130)
    #expect(!tracker.isLoop)
    for time in 0..<2 as Range<UInt64> {
      _ = wait(.poll(site: 2), 200 + time * 20, 210 + time * 20)
    }
    #expect(tracker.isLoop)
    #expect(wait(.poll(site: 1), 300, 310) == nil)
    #expect(wait(.poll(site: 2), 400, 410) == 170)
  }

  @Test("a wait further out on the stack is the loop's, although others were first")
  mutating func outerLoop() {
    for time in 0..<5 as Range<UInt64> {
      _ = wait(.poll(site: 1), 100 + time * 20, 110 + time * 20, stack: 80)
    }
    #expect(tracker.isLoop)
    for time in 0..<3 as Range<UInt64> {
      #expect(
        wait(.poll(site: 2), 300 + time * 20, 310 + time * 20, stack: 95) == (time > 0 ? 10 : nil)
      )
    }
    #expect(tracker.source == .poll(site: 2) && tracker.isLoop)
    // A nested loop, and the same loop in a dialog.
    #expect(wait(.poll(site: 1), 400, 410, stack: 80) == nil)
    #expect(wait(.poll(site: 2), 450, 460, stack: 70) == 100)
    #expect(wait(.poll(site: 1), 470, 480, stack: 90) == nil)
    #expect(wait(.poll(site: 2), 500, nil, stack: 95) == 40)
  }

  @Test("an epoll loop replaces the polls of a thread's start")
  mutating func pollsBeforeLoop() {
    for time in 0..<4 as Range<UInt64> {
      _ = wait(.poll(site: 2), 100 + time * 20, 110 + time * 20)
    }
    _ = wait(Self.loop, 300, 310)
    #expect(tracker.source == Self.loop && tracker.isLoop)
  }

  @Test(
    "a loop that polls inside of its callbacks is found, by its place on the stack or first",
    arguments: [(100, 50), (0, 0)] as [(UInt32, UInt32)]
  )
  mutating func alternatingPolls(outer: UInt32, inner: UInt32) {
    var holds: [UInt64?] = []
    for time in 0..<10 as Range<UInt64> {
      holds.append(wait(.poll(site: 1), time * 100, time * 100 + 10, stack: outer))
      _ = wait(.poll(site: 2), time * 100 + 40, time * 100 + 50, stack: inner)
    }
    #expect(holds == [nil] + [UInt64?](repeating: 90, count: 9))
    #expect(tracker.source == .poll(site: 1) && tracker.isLoop)
  }

  @Test("the time in a loop that ran between two polls is no hold")
  mutating func pollsAroundLoop() {
    _ = wait(.poll(site: 1), 0, 10, stack: 100)
    for time in 0..<50 as Range<UInt64> {
      _ = wait(Self.loop, 100 + time * 20, 110 + time * 20, stack: 50)
    }
    #expect(wait(.poll(site: 1), 5000, 5010, stack: 100) == nil)
  }

  @Test("a hold before waits that were overwritten lasts until the last reading")
  mutating func cutHold() {
    _ = wait(Self.loop, 100, 110)
    tracker.readAt = 180
    number = 500
    #expect(wait(Self.loop, 900, 910) == 70)
    #expect(wait(Self.loop, 950, nil) == 40)
    #expect(tracker.lost == 499)
  }

  @Test("waits that were overwritten are counted, and make no hold")
  mutating func lostWaits() {
    _ = wait(Self.loop, 100, 110)
    number = 500
    #expect(wait(Self.loop, 900, 910) == nil)
    #expect(tracker.lost == 499)
    #expect(wait(Self.loop, 950, nil) == 40)
  }

  @Test("a hold has the number of events that waited behind it")
  mutating func events() {
    _ = tracker.add(Wait(number: 0, began: 0, ended: 10, source: Self.loop, events: 7)) { _ in true
    }
    let hold = tracker.add(Wait(number: 1, began: 90, ended: nil, source: Self.loop)) { _ in true }
    #expect(hold == Hold(began: 10, ended: 90, events: 7))
  }
}
