import LoopTransactionsTesting
import LoopbenchKit
import Testing

extension Samples {
  /// Holds one value of every public type of LoopbenchKit.
  fileprivate static func ofLoopbenchKit() throws -> Samples {
    let evidence = Captured<Figure.Evidence>()
    let figure = Figure("good", title: "good") { given in
      evidence.value = given
      return 1
    }
    var fixture = Fixture()
    fixture.scenario = Scenario(
      name: "fake",
      summary: "made-up times",
      series: fixture.scenario.series,
      figures: [figure]
    )
    _ = try fixture.report()
    let seats = Placement.Seats(loop: 0, producer: nil)
    let workload = Workload(warmUps: 1, samples: 2, operations: 3)
    var slice = Slice(
      series: "one",
      workload: workload,
      seats: seats,
      isTraced: true,
      generator: SeededGenerator(seed: 1)
    )
    slice.sample { _ in 1 }
    var samples = Samples()
    samples.add("Figure", figure)
    samples.add("Figure.Evidence", try #require(evidence.value))
    samples.add("Pace", Pace.standard)
    samples.add("Pace.Arrival", Pace.Arrival.poisson)
    samples.add("PeerError", PeerError("out of luck"))
    samples.add("Percentile", Percentile.p99)
    samples.add("Placement", fixture.placement)
    samples.add("Placement.Rule", Placement.Rule.across)
    samples.add("Placement.Seats", seats)
    samples.add("Registry", Registry.standard)
    samples.add("Scenario", fixture.scenario)
    samples.add("Scenario.Extra", Scenario.Extra.difference)
    samples.add("Series", fixture.scenario.series[0])
    samples.add("Series.Kind", Series.Kind.mean)
    samples.add("Slice", slice)
    samples.add("TimerLoad", TimerLoad.self)
    samples.add("PoolLoad", PoolLoad.self)
    samples.add("PostedCall", PostedCall(function: { _ in }, context: nil))
    // Peers that are generic, by the beginning of their names.
    for name in ["PoolPeer", "PriorityPeer", "QueuePost", "QueueWake"] {
      let peer = Registry.standard.peers.first { "\(type(of: $0))".hasPrefix("\(name)<") }
      samples.add(name, try #require(peer))
    }
    samples.add("Workload", workload)
    return samples
  }
}

/// A value that a closure hands to the test that calls it.
private final class Captured<Value>: @unchecked Sendable {
  // @unchecked: one thread makes the report, which calls the closure.
  var value: Value?
}

@Suite("Reflection of LoopbenchKit")
struct ReflectionTests {
  @Test("a value of every public type can be dumped, alone and in a structure")
  func dumps() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try Samples.ofLoopbenchKit().dumpAll()
    }
    let names = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      names.hasSuffix("Workload\n"),
      "the dump ended at \(names.split(separator: "\n").last ?? "")"
    )
  }

  @Test("there is a sample for every public type in docs/api")
  func complete() throws {
    let types = try PublicTypes.names(of: "LoopbenchKit")
    #expect(types.count > 10)
    let known = Set(try Samples.ofLoopbenchKit().values.keys)
    #expect(Set(types).subtracting(known) == [])
    #expect(known.subtracting(types) == [])
  }
}
