/// Why a choice of scenarios and peers can not be measured.
public enum SelectionError: Error, Equatable, CustomStringConvertible {
  /// No scenario has that name.
  case unknownScenario(name: String, suggestion: String?)
  /// No scenario that was chosen has a series of that name.
  case unknownSeries(name: String, suggestion: String?)
  /// The scenario has a name only.
  case notBuilt(PlannedScenario)
  /// No peer of any scenario has that name.
  case unknownPeer(name: String, suggestion: String?)
  /// The peer exists, but not for a scenario that was asked for.
  case peerNotInScenario(name: String, scenario: String, has: [String])
  /// The peer exists, but can not be measured on this machine.
  case peerUnavailable(name: String, scenario: String, reason: String)

  /// What is wrong, and what could be asked for.
  public var description: String {
    switch self {
    case .unknownScenario(let name, let suggestion):
      "there is no scenario \"\(name)\"" + Suggestion.question(suggestion)
    case .unknownSeries(let name, let suggestion):
      "there is no series \"\(name)\" to measure" + Suggestion.question(suggestion)
    case .notBuilt(let scenario): scenario.description
    case .unknownPeer(let name, let suggestion):
      "there is no peer \"\(name)\"" + Suggestion.question(suggestion)
    case .peerNotInScenario(let name, let scenario, let has):
      "\(scenario) has no peer \"\(name)\"; it has \(has.joined(separator: ", "))"
    case .peerUnavailable(let name, let scenario, let reason):
      "\(scenario) can not measure peer \"\(name)\" here: \(reason)"
    }
  }
}
