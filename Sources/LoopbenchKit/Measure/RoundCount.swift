/// How many rounds a run measures.
public enum RoundCount: Equatable, Sendable {
  /// As many as stated.
  case fixed(Int)
  /// As many as fit `nanoseconds`, the warm-up round included, but at least 10
  /// and at most 30.
  case fitting(nanoseconds: UInt64)

  /// What `loopbench` does alone: about 20 s.
  public static let standard = RoundCount.fitting(nanoseconds: 19_000_000_000)

  /// The fewest rounds whose median means something.
  public static let least = 10
  private static let most = 30

  /// Whether another round follows `done` recorded ones.
  ///
  /// - Parameters:
  ///   - elapsedNs: Since the warm-up round began.
  ///   - roundNs: What the last round took.
  package func continues(after done: Int, elapsedNs: UInt64, roundNs: UInt64) -> Bool {
    switch self {
    case .fixed(let count): done < count
    case .fitting(let nanoseconds):
      done < Self.least || (done < Self.most && elapsedNs + roundNs <= nanoseconds)
    }
  }

  /// How many rounds there will be if each takes `roundNs`.
  package func estimate(roundNs: UInt64) -> Int {
    switch self {
    case .fixed(let count): count
    case .fitting(let nanoseconds):
      min(Self.most, max(Self.least, Int(nanoseconds / max(1, roundNs)) - 1))
    }
  }
}
