// A custom loopbench. `loopbench keep` runs it if it is installed next to
// loopbench or on PATH. It measures the cost of storing values, and supports
// every command, option, format and plot. The other peers are compared with the
// first of `references`.
//
// Arguments: list metrics
// Prints:
//   Metrics:
//     keep/one  one of 1000 new numbers

import LoopbenchCommands
import LoopbenchKit

struct Keeping: Peer {
  let name: String
  let scenario = "keep"
  let series = ["one"]
  let summary: String
  let keep: @Sendable (_ count: Int) -> Void

  func measure(_ slice: inout Slice) {
    slice.sample { operations in
      let time = ContinuousClock().measure { keep(operations) }
      return UInt64(time / .nanoseconds(1))
    }
  }
}

let one = Series(
  name: "one",
  summary: "one of 1000 new numbers",
  workload: Workload(warmUps: 1, samples: 20, operations: 1000)
)
let registry = Registry(
  scenarios: [
    Scenario(
      name: "keep",
      summary: "remember something",
      series: [one],
      references: ["array"]
    )
  ],
  peers: [
    Keeping(name: "array", summary: "appends to an array") { count in
      var kept: [Int] = []
      for number in 0..<count { kept.append(number) }
      precondition(kept.count == count)
    },
    Keeping(name: "set", summary: "inserts into a set") { count in
      var kept: Set<Int> = []
      for number in 0..<count { kept.insert(number) }
      precondition(kept.count == count)
    },
  ]
)
Loopbench.main(registry)
