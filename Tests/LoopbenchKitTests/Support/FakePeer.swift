import LoopbenchKit

/// A peer whose samples are made up: `base` ns, a little more each sample.
struct FakePeer: Peer {
  var name: String
  var scenario = "fake"
  var series = ["one"]
  var summary = "made up"
  var base: Double
  var fires: [Int64] = []
  var failure: PeerFailure?

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    if let failure { throw failure }
    for index in 0..<slice.effort.samples {
      slice.record(nanoseconds: base + Double(index))
    }
    for lateness in fires { slice.record(lateness: lateness) }
  }
}
