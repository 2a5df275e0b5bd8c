/// One round of a run, as reports list it.
public struct RoundSummary: Codable, Equatable, Sendable {
  /// From 1; the warm-up round is not listed.
  public let round: Int
  /// The contenders in the order they were measured in.
  public let order: [String]
  /// How long the round took.
  public let wallNs: UInt64
}
