/// How many rounds a run measures.
public enum RoundCount: Equatable, Sendable {
  /// As many as stated.
  case fixed(Int)
  /// As many as fit `nanoseconds`, by the time the warm-up round took, but at
  /// least 10 and at most 30.
  case fitting(nanoseconds: UInt64)

  /// What `loopbench` does alone: with its warm-up round about 20 s.
  public static let standard = RoundCount.fitting(nanoseconds: 18_000_000_000)

  /// The fewest rounds whose median means something.
  public static let least = 10
  private static let most = 30

  /// The number of rounds, given how long one of them takes.
  package func rounds(roundNs: UInt64) -> Int {
    switch self {
    case .fixed(let count): count
    case .fitting(let nanoseconds):
      Int(min(UInt64(Self.most), max(UInt64(Self.least), nanoseconds / max(1, roundNs))))
    }
  }
}
