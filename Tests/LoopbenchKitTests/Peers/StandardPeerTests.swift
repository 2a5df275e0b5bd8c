import LoopbenchKit
import Testing

@Suite("Standard peers", .serialized)
struct StandardPeerTests {
  @Test("every peer records the samples its series asks for, and its companions")
  func samples() throws {
    let selection = try Selection(from: .standard, placement: .detect())
    for contender in selection.contenders {
      let outcome = try contender.measure(round: 1, seed: 1, instruments: .system)
      let companions = contender.scenario.series.filter { $0.companionOf == contender.series.name }
      for series in [contender.series] + companions {
        let histogram = outcome.slice.recorded[series.name]
        #expect(histogram?.count == UInt64(contender.series.effort.samples), "\(contender.name)")
        #expect((histogram?.max ?? 0) > 0, "\(contender.name)")
      }
      #expect(outcome.slice.recorded.count == 1 + companions.count, "\(contender.name)")
      #expect(outcome.slice.earlyFires == 0, "\(contender.name)")
    }
  }
}
