import LoopbenchKit
import Testing

@Suite("PriorityProbe")
struct PriorityProbeTests {
  @Test("an operation is an inversion if it starts while the timed operation waits")
  func inversions() throws {
    let probe = PriorityProbe()
    probe.begin(1)
    #expect(probe.spend())
    #expect(probe.inversions == 0)
    // The timed operation has not started, so it counts as waiting from now on.
    #expect(probe.time(limit: 1) {} == 1)
    #expect(probe.spend() && probe.spend())
    #expect(probe.inversions == 2)
    PriorityProbe.start(probe.address)
    #expect(probe.spend())
    #expect(probe.inversions == 2)
  }

  @Test("a timed operation that starts before its add returns has no inversions")
  func atOnce() throws {
    let probe = PriorityProbe()
    probe.begin(1)
    let waited = probe.time(limit: 1_000_000_000) { PriorityProbe.start(probe.address) }
    #expect(waited < 1_000_000_000)
    #expect(probe.spend())
    #expect(probe.inversions == 0)
  }

  @Test("an ended load adds no operations, and end() returns after the last operation")
  func end() throws {
    let probe = PriorityProbe()
    for _ in 1...2 {
      probe.begin(2)
      #expect(probe.spend())
      probe.leave()
      probe.leave()
      probe.end()
      #expect(!probe.spend())
    }
  }
}

@Suite("CountDownLatch")
struct CountDownLatchTests {
  @Test("the last step of each burst records the time")
  func bursts() throws {
    let latch = CountDownLatch()
    for count in [1, 3] {
      latch.reset(count: count)
      for _ in 0..<count { CountDownLatch.step(latch.address) }
      #expect(latch.nanoseconds(since: 0) > 0)
    }
  }
}
