import CPeers
import LoopbenchKit

/// `commit` with a set in C++.
struct SetPeer: Peer {
  let name: String
  let scenario = "commit"
  let series = ["duplicate", "first"]
  let isReference = true
  let summary: String
  let table: cp_set

  static let unordered = SetPeer(
    name: "unordered",
    summary: "C++: a std::unordered_set of (target, selector), swapped out, performed; no loop",
    table: cp_unordered_set
  )
  static let flatHash = SetPeer(
    name: "flathash",
    summary: "C++: an absl::flat_hash_set of (target, selector), swapped out, performed; no loop",
    table: cp_flat_hash_set
  )

  /// The number of targets of every peer of `commit`.
  private static let targets = 1000

  func measure(_ slice: inout Slice) throws(PeerError) {
    guard let set = table.open(UInt32(Self.targets)) else {
      throw PeerError("\(name) could not allocate its targets")
    }
    defer { table.close(set) }
    switch slice.series {
    case "duplicate":
      slice.sample { table.duplicates(set, UInt32($0 / Self.targets)) }
    case "first": slice.sample { _ in table.first(set) }
    default: throw slice.unknownSeries
    }
  }
}
