import LoopbenchKit
import Synchronization

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
