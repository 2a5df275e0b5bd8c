/// One round of a run, as reports list it.
public struct RoundSummary: Codable, Equatable, Sendable {
  /// From 1; the warm-up round is not listed.
  public let round: Int
  /// The contenders in the order they were measured in.
  public let order: [String]
  /// How long the round took.
  public let wallNs: UInt64
  /// Whether any slice in it was disturbed.
  public let isDisturbed: Bool
  /// Which were: `wake/across/uv`.
  public let disturbed: [String]

  package init(round: Int, order: [String], wallNs: UInt64, disturbed: [String] = []) {
    self.round = round
    self.order = order
    self.wallNs = wallNs
    self.disturbed = disturbed
    isDisturbed = !disturbed.isEmpty
  }

  /// The same round, with what was disturbed in it.
  func marked(_ names: Set<String>) -> RoundSummary {
    RoundSummary(round: round, order: order, wallNs: wallNs, disturbed: names.sorted())
  }
}
