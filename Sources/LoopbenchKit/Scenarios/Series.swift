/// One quantity of a scenario, in ns.
public struct Series: Sendable {
  /// How reports name it: `typed.across`.
  public let name: String
  /// One line: from when to when, and over how many operations.
  public let summary: String
  /// How much of it one slice measures.
  public let effort: Effort
  /// Where its threads sit.
  public let placement: Placement.Rule
  /// Another series whose slices record this one too; `nil` for one of its own.
  public let companionOf: String?

  /// Makes a series that is measured by itself.
  public init(name: String, summary: String, effort: Effort, placement: Placement.Rule = .loop) {
    self.name = name
    self.summary = summary
    self.effort = effort
    self.placement = placement
    companionOf = nil
  }

  /// Makes a series that is recorded while `other` is measured.
  public init(name: String, summary: String, recordedWith other: Series) {
    self.name = name
    self.summary = summary
    effort = other.effort
    placement = other.placement
    companionOf = other.name
  }
}
