import LoopbenchKit
import Testing

@Suite("PriorityField")
struct PriorityFieldTests {
  @Test("what starts between the add and the start of the timed operation is an inversion")
  func inversions() throws {
    let field = try PriorityField()
    field.begin(1)
    #expect(field.spend())
    #expect(field.inversions == 0)
    // Not started: it waits from then on.
    #expect(field.time(limit: 1) {} == 1)
    #expect(field.spend() && field.spend())
    #expect(field.inversions == 2)
    PriorityField.start(field.address)
    #expect(field.spend())
    #expect(field.inversions == 2)
  }

  @Test("one that starts before its add returns waited for nobody, and its time ends there")
  func atOnce() throws {
    let field = try PriorityField()
    field.begin(1)
    let waited = field.time(limit: 1_000_000_000) { PriorityField.start(field.address) }
    #expect(waited < 1_000_000_000)
    #expect(field.spend())
    #expect(field.inversions == 0)
  }

  @Test("a load that is over adds nothing, and has ended when the last one left")
  func end() throws {
    let field = try PriorityField()
    for _ in 1...2 {
      field.begin(2)
      #expect(field.spend())
      field.leave()
      field.leave()
      field.end()
      #expect(!field.spend())
    }
  }
}

@Suite("BurstLatch")
struct BurstLatchTests {
  @Test("the last of a burst stamps the time, burst after burst")
  func bursts() throws {
    let latch = try BurstLatch()
    for count in [1, 3] {
      latch.reset(count: count)
      for _ in 0..<count { BurstLatch.step(latch.address) }
      #expect(latch.nanoseconds(since: 0) > 0)
    }
  }
}
