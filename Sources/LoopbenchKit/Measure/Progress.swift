/// How far a run is.
public struct Progress: Equatable, Sendable {
  /// What is measured now: `wake/across/uv`.
  public private(set) var contender = ""
  /// The round being measured; 0 is the warm-up.
  public private(set) var round = 0
  /// How many rounds there will be, about; `nil` while warming up.
  public private(set) var rounds: Int?

  private var roundNs: UInt64 = 0
  private let slices: Int
  private var slice = 0

  package init(slices: Int) {
    self.slices = slices
  }

  /// The warm-up round is over.
  package mutating func begin(rounds: Int, roundNs: UInt64) {
    self.rounds = rounds
    self.roundNs = roundNs
  }

  /// The same run, at one of its slices.
  package func at(_ contender: Contender, round: Int, slice: Int) -> Progress {
    var progress = self
    progress.contender = contender.name
    progress.round = round
    progress.slice = slice
    return progress
  }

  /// The same run, at one slice of a block: blocks do not follow rounds.
  package func at(_ contender: Contender, slicesDone: Int, round: Int) -> Progress {
    var progress = at(contender, round: round, slice: 0)
    progress.slice = slicesDone - (round - 1) * slices
    return progress
  }

  /// How much is done, from 0 to 1; `nil` while warming up.
  public var fraction: Double? {
    guard let rounds, rounds > 0, slices > 0 else { return nil }
    let done = Double((round - 1) * slices + slice) / Double(rounds * slices)
    return min(1, max(0, done))
  }

  /// What is left, in ns, by the time the warm-up round took; `nil` during it.
  public var remainingNs: UInt64? {
    guard let rounds, slices > 0 else { return nil }
    let left = (rounds - round + 1) * slices - slice
    return UInt64(max(0, left)) * roundNs / UInt64(slices)
  }
}
