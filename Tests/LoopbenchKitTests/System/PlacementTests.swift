import LoopbenchKit
import Testing

@Suite("Placement")
struct PlacementTests {
  @Test("across places producer and loop on different CPUs, and same places both on one CPU")
  func seats() throws {
    let placement = Placement(cpuCount: 2, loop: 1, producer: 0)
    #expect(try placement.seats(for: .loop).get().loop == 1)
    #expect(try placement.seats(for: .across).get().producer == 0)
    #expect(try placement.seats(for: .same).get().producer == 1)
  }

  @Test("with one CPU, across is unavailable and same is available")
  func oneCPU() throws {
    let placement = Placement(cpuCount: 1, loop: 0, producer: nil)
    #expect(throws: LoopbenchError.unavailable("it needs 2 CPUs, there is 1")) {
      try placement.seats(for: .across).get()
    }
    #expect(try placement.seats(for: .same).get().producer == 0)
  }

  @Test("if threads cannot be placed, same is unavailable and across is available")
  func noPlacement() throws {
    let placement = Placement(cpuCount: 8, loop: nil, producer: nil)
    #expect(throws: LoopbenchError.self) { try placement.seats(for: .same).get() }
    #expect(try placement.seats(for: .across).get().producer == nil)
  }
}
