import Foundation
import LoopTransactionsTesting
import LoopbenchKit
import Testing

/// Returns one value of every public type of LoopbenchKit, keyed by the type's name.
private func samples() throws -> [String: Any] {
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
  return [
    "Figure": figure,
    "Figure.Evidence": try #require(evidence.value),
    "Pace": Pace.standard,
    "Pace.Arrival": Pace.Arrival.poisson,
    "PeerError": PeerError("out of luck"),
    "Percentile": Percentile.p99,
    "Placement": fixture.placement,
    "Placement.Rule": Placement.Rule.across,
    "Placement.Seats": seats,
    "Registry": Registry.standard,
    "RunConditions": RunConditions.standard,
    "Scenario": fixture.scenario,
    "Scenario.Extra": Scenario.Extra.difference,
    "Series": fixture.scenario.series[0],
    "Series.Kind": Series.Kind.mean,
    "Slice": slice,
    "Workload": workload,
  ]
}

/// A value that a closure hands to the test that calls it.
private final class Captured<Value>: @unchecked Sendable {
  // @unchecked: one thread makes the report, which calls the closure.
  var value: Value?
}

private struct Holder {
  let value: Any
}

@Suite("Reflection of LoopbenchKit")
struct ReflectionTests {
  @Test("a value of every public type can be dumped, alone and in a structure")
  func dumps() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      for (name, value) in try samples().sorted(by: { $0.key < $1.key }) {
        // If a dump ends the process, the last name printed is the type that
        // caused it.
        FileHandle.standardError.write(Data("\(name)\n".utf8))
        for each in [value, Holder(value: value)] as [Any] {
          var text = ""
          dump(each, to: &text)
          #expect(!text.isEmpty)
          #expect(!String(reflecting: each).isEmpty)
        }
      }
    }
    let names = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      names.hasSuffix("Workload\n"),
      "the dump ended at \(names.split(separator: "\n").last ?? "")"
    )
  }

  @Test("there is a sample for every public type in docs/api")
  func complete() throws {
    let types = try Shipped.text("docs/api/LoopbenchKit.txt").split(separator: "\n").compactMap {
      try? /([\w.]+) \| (?:open |final )*(?:class|struct|enum|actor) .*/.wholeMatch(in: $0)
    }
    .map { String($0.output.1) }
    #expect(types.count > 10)
    let known = Set(try samples().keys)
    #expect(Set(types).subtracting(known) == [])
    #expect(known.subtracting(types) == [])
  }
}
