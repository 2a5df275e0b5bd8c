import LoopbenchKit

/// A peer that records given values.
struct ValuesPeer: Peer {
  let name = "values"
  let scenario = "feed"
  let series = ["one"]
  let summary = "records given values"
  let values: [Double]

  func measure(_ slice: inout Slice) {
    for value in values { slice.record(nanoseconds: value) }
  }

  func report() throws -> Report {
    let series = Series(
      name: "one",
      summary: "given values",
      workload: Workload(warmUps: 0, samples: values.count, operations: 1)
    )
    let scenario = Scenario(name: "feed", summary: "given values", series: [series])
    let placement = Placement(cpuCount: 1, loop: nil, producer: nil)
    let selection = try Selection(
      from: Registry(scenarios: [scenario], peers: [self]),
      placement: placement
    )
    let runner = Runner(contenders: selection.contenders, seed: 1, rounds: .fixed(1))
    return Report(try runner.run(), argv: [], machine: .detect(), placement: placement)
  }
}
