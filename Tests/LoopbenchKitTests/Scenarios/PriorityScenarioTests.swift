import LoopbenchKit
import Testing

@Suite("PriorityField")
struct PriorityFieldTests {
  @Test("an operation is an inversion if it starts while the timed operation waits")
  func inversions() throws {
    let field = try PriorityField()
    field.begin(1)
    #expect(field.spend())
    #expect(field.inversions == 0)
    // The timed operation has not started, so it counts as waiting from now on.
    #expect(field.time(limit: 1) {} == 1)
    #expect(field.spend() && field.spend())
    #expect(field.inversions == 2)
    PriorityField.start(field.address)
    #expect(field.spend())
    #expect(field.inversions == 2)
  }

  @Test("a timed operation that starts before its add returns has no inversions")
  func atOnce() throws {
    let field = try PriorityField()
    field.begin(1)
    let waited = field.time(limit: 1_000_000_000) { PriorityField.start(field.address) }
    #expect(waited < 1_000_000_000)
    #expect(field.spend())
    #expect(field.inversions == 0)
  }

  @Test("an ended load adds no operations, and end() returns after the last operation")
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
  @Test("the last step of each burst records the time")
  func bursts() throws {
    let latch = try BurstLatch()
    for count in [1, 3] {
      latch.reset(count: count)
      for _ in 0..<count { BurstLatch.step(latch.address) }
      #expect(latch.nanoseconds(since: 0) > 0)
    }
  }
}
