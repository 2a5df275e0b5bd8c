/// How long a run is.
public enum RoundCount: Equatable, Sendable {
  /// As many rounds as stated.
  case fixed(Int)
  /// As many as fit `nanoseconds`, the warm-up included, but at least 10 and at
  /// most 30.
  case fitting(nanoseconds: UInt64)
  /// As many rounds as stated, or as fit `nanoseconds`, the warm-up included,
  /// whichever is less, but at least one.
  case within(nanoseconds: UInt64, rounds: Int)

  /// What `loopbench` does alone: about 20 s.
  public static let standard = RoundCount.fitting(nanoseconds: 19_000_000_000)

  /// The fewest rounds whose median means something.
  public static let least = 10
  private static let most = 30

  /// Whether another round follows `done` recorded ones.
  ///
  /// - Parameters:
  ///   - elapsedNs: Since the warm-up began.
  ///   - roundNs: What the last round took.
  package func continues(after done: Int, elapsedNs: UInt64, roundNs: UInt64) -> Bool {
    switch self {
    case .fixed(let count): done < count
    case .fitting(let nanoseconds):
      done < Self.least || (done < Self.most && elapsedNs + roundNs <= nanoseconds)
    case .within(let nanoseconds, let rounds):
      done == 0 || (done < rounds && elapsedNs + roundNs <= nanoseconds)
    }
  }

  /// How many rounds there will be if each takes `roundNs`.
  package func estimate(roundNs: UInt64) -> Int {
    switch self {
    case .fixed(let count): count
    case .fitting(let nanoseconds):
      min(Self.most, max(Self.least, Int(nanoseconds / max(1, roundNs)) - 1))
    case .within(let nanoseconds, let rounds):
      min(rounds, max(1, Int(nanoseconds / max(1, roundNs)) - 1))
    }
  }
}
