import LoopbenchKit
import Synchronization

/// A peer whose samples are made up: `base` ns, a little more each sample. If it
/// drifts, a random number of times that, the same for all peers of a round.
struct FakePeer: Peer {
  var name: String
  var scenario = "fake"
  var series = ["one"]
  var summary = "made up"
  var base: Double
  var drifts = false
  var fires: [Int64] = []
  var failure: PeerFailure?
  var misses: UInt64 = 0
  var isReference = false

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    if let failure { throw failure }
    let factor = drifts ? Double(1 + slice.generator.number(below: 9)) : 1
    for index in 0..<slice.effort.samples {
      slice.record(nanoseconds: (base + Double(index)) * factor)
    }
    if misses > 0 { slice.miss(misses) }
    for lateness in fires { slice.record(lateness: lateness) }
  }
}

/// A peer whose samples are made up: those of slice n take `bases[n]` ns, or the
/// last of them.
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
    for _ in 0..<slice.effort.samples {
      slice.record(nanoseconds: bases[min(count, bases.count - 1)])
    }
  }
}
