/// A scenario whose name is taken, and that can not be measured yet.
public struct PlannedScenario: Equatable, Sendable, CustomStringConvertible {
  /// How the command line will name it.
  public let name: String
  /// One line: what it will measure.
  public let summary: String
  /// What has to be there first.
  public let needs: String

  /// Makes a plan.
  public init(name: String, summary: String, needs: String) {
    self.name = name
    self.summary = summary
    self.needs = needs
  }

  /// Why it can not be measured.
  public var description: String { "\(name) is not built yet: it needs \(needs)" }
}
