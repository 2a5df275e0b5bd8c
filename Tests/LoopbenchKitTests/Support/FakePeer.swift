import LoopbenchKit
import Synchronization

/// A peer with made-up samples, which start at `base` ns and increase by 1 ns per
/// sample. If the peer drifts, all samples are multiplied by a random factor, which
/// is the same for all peers of a round.
struct FakePeer: Peer {
  var name: String
  var scenario = "fake"
  var series = ["one"]
  var summary = "made up"
  var base: Double
  var drifts = false
  var fires: [Int64] = []
  var failure: PeerError?
  var misses: UInt64 = 0
  var isReference = false

  func measure(_ slice: inout Slice) throws(PeerError) {
    if let failure { throw failure }
    let factor = drifts ? Double(1 + slice.generator.number(below: 9)) : 1
    for index in 0..<slice.workload.samples {
      slice.record(nanoseconds: (base + Double(index)) * factor)
    }
    if misses > 0 { slice.miss(misses) }
    for lateness in fires { slice.record(lateness: lateness) }
  }
}

/// A peer with made-up samples. All samples of slice n are `bases[n]` ns. Slices
/// beyond the last element use the last element.
final class SettlingPeer: Peer {
  let name: String
  let scenario = "fake"
  let series = ["one"]
  let summary = "made up"
  private let bases: [Double]
  private let slices = Atomic<Int>(0)

  init(name: String, bases: [Double]) {
    self.name = name
    self.bases = bases
  }

  func measure(_ slice: inout Slice) {
    let count = slices.wrappingAdd(1, ordering: .relaxed).oldValue
    for _ in 0..<slice.workload.samples {
      slice.record(nanoseconds: bases[min(count, bases.count - 1)])
    }
  }
}
