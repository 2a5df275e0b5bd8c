/// How far a run is.
public struct Progress: Equatable, Sendable {
  /// What is measured now: `wake/across/uv`.
  public private(set) var contender = ""
  /// The round being measured; 0 is the warm-up.
  public private(set) var round = 0
  /// How many rounds there will be; `nil` while warming up.
  public internal(set) var rounds: Int?

  var roundNs: UInt64 = 0
  private let slices: Int
  private var slice = 0

  package init(slices: Int) {
    self.slices = slices
  }

  mutating func move(to contender: Contender, round: Int, slice: Int) {
    self.contender = contender.name
    self.round = round
    self.slice = slice
  }

  /// What is left, in ns, by the time the warm-up round took; `nil` during it.
  public var remainingNs: UInt64? {
    guard let rounds, slices > 0 else { return nil }
    let left = (rounds - round + 1) * slices - slice
    return UInt64(max(0, left)) * roundNs / UInt64(slices)
  }
}
