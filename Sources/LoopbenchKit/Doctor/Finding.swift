/// What one check of a machine says.
public struct Finding: Codable, Equatable, Sendable {
  /// Stays the same from version to version: `governor`.
  public let id: String
  /// How bad it is.
  public let status: Status
  /// What was found.
  public let text: String
  /// The command or the sentence that mends it; nil when nothing has to be.
  public let fix: String?

  /// How far a finding spoils figures.
  public enum Status: String, Codable, Comparable, CaseIterable, Sendable {
    /// Not at all.
    case ok
    /// Figures move more than they have to.
    case warn
    /// Figures say little.
    case bad

    /// By how bad it is.
    public static func < (first: Status, second: Status) -> Bool {
      (allCases.firstIndex(of: first) ?? 0) < (allCases.firstIndex(of: second) ?? 0)
    }
  }

  /// Makes a finding.
  public init(id: String, status: Status, text: String, fix: String? = nil) {
    self.id = id
    self.status = status
    self.text = text
    self.fix = fix
  }

  static func ok(_ id: String, _ text: String) -> Finding {
    Finding(id: id, status: .ok, text: text)
  }

  static func warn(_ id: String, _ text: String, fix: String) -> Finding {
    Finding(id: id, status: .warn, text: text, fix: fix)
  }

  static func bad(_ id: String, _ text: String, fix: String) -> Finding {
    Finding(id: id, status: .bad, text: text, fix: fix)
  }
}
