/// Why two reports can not be compared.
public enum ComparisonError: Error, Equatable, CustomStringConvertible {
  /// They were measured on machines that differ in what is named.
  case otherMachine(field: String, base: String, new: String)
  /// One was built for debugging, the other was not.
  case otherBuild(base: String, new: String)
  /// Something was measured in another way.
  case otherSettings(name: String, base: String, new: String)
  /// They have no scenario, series and peer in common.
  case nothingInCommon
  /// A rule speaks of what was not measured in both.
  case ruleWithoutResult(String, suggestion: String?)
  /// There are rules, and nothing that one is about was measured in both.
  case nothingJudged

  /// What differs, and what to do.
  public var description: String {
    switch self {
    case .otherMachine(let field, let base, let new):
      "measured on other machines: \(field) is \"\(base)\" in the base and \"\(new)\" now;"
        + " --force compares them all the same"
    case .otherBuild(let base, let new):
      "the base is a \(base) build and the other a \(new) build; measure both with release"
    case .otherSettings(let name, let base, let new):
      "measured in other ways: \(name) is \(base) in the base and \(new) now;"
        + " measure the base again with the same options"
    case .nothingInCommon:
      "the two reports have no scenario, series and peer in common"
    case .ruleWithoutResult(let rule, let suggestion):
      "the rule \(rule) speaks of nothing that both reports have"
        + Suggestion.question(suggestion)
    case .nothingJudged:
      "what both reports have is there to be compared with only; a rule that names a peer,"
        + " such as --fail '*/*/uv.p50>+10%', judges it all the same"
    }
  }
}

extension ComparisonError {
  /// Why the two should not be compared, each reason once.
  package static func differences(_ base: Report, _ new: Report) -> [ComparisonError] {
    machines(base.machine, new.machine) + settings(base.settings, new.settings)
      + efforts(base, new)
  }

  private static func machines(_ base: Machine, _ new: Machine) -> [ComparisonError] {
    let fields: [(String, String, String)] = [
      ("the processor", base.cpu, new.cpu),
      ("the number of CPUs", "\(base.cpus)", "\(new.cpus)"),
      ("virtualization", base.virtualization, new.virtualization),
    ]
    let machines = fields.compactMap { name, base, new -> ComparisonError? in
      base == new ? nil : .otherMachine(field: name, base: base, new: new)
    }
    return machines
      + (base.build == new.build ? [] : [.otherBuild(base: base.build, new: new.build)])
  }

  private static func settings(
    _ base: Report.Settings,
    _ new: Report.Settings
  ) -> [ComparisonError] {
    let fields = [
      ("the order", base.order, new.order),
      ("placement", text(base.placement), text(new.placement)),
      ("the rate", text(base.pace), text(new.pace)),
      ("what was asked of the machine", text(base.conditions), text(new.conditions)),
    ]
    return fields.compactMap { name, base, new in
      base == new ? nil : .otherSettings(name: name, base: base, new: new)
    }
  }

  private static func text(_ placement: Placement) -> String {
    let seats = [placement.loop, placement.producer].map { $0.map { "CPU \($0)" } ?? "anywhere" }
    return "loop \(seats[0]), producer \(seats[1])"
  }

  /// A round of more samples has another maximum, and another p99.9.
  private static func text(_ pace: Pace) -> String {
    "\(Decimals.exact(pace.rate))/s \(pace.arrival.rawValue)"
  }

  private static func text(_ conditions: Conditions?) -> String {
    conditions?.parts.joined(separator: ", ") ?? "nothing"
  }

  private static func efforts(_ base: Report, _ new: Report) -> [ComparisonError] {
    let other = new.results.lazy.compactMap { result -> ComparisonError? in
      guard let counterpart = base.results.first(where: { $0.isSame(as: result) }) else {
        return nil
      }
      let isStated = counterpart.samplesPerRound != nil && result.samplesPerRound != nil
      guard let before = counterpart.samples(isStated), let now = result.samples(isStated),
        before != now
      else { return nil }
      let name = "the samples of \(result.path) in a round"
      return .otherSettings(name: name, base: "\(before)", new: "\(now)")
    }
    return other.first.map { [$0] } ?? []
  }

  /// What a comparison that was forced notes.
  package var difference: String {
    switch self {
    case .otherMachine(let field, let base, let new):
      "other machines: \(field) is \"\(base)\" in the base and \"\(new)\" now"
    case .otherBuild(let base, let new): "the base is a \(base) build, the other a \(new) build"
    case .otherSettings(let name, let base, let new):
      "\(name) is \(base) in the base and \(new) now"
    case .nothingInCommon, .ruleWithoutResult, .nothingJudged: description
    }
  }
}

extension Report.Result {
  /// How many samples a round was to take or, of files that do not say, took; `nil`
  /// before the first.
  fileprivate func samples(_ isStated: Bool) -> UInt64? {
    if isStated { return samplesPerRound.map { UInt64(clamping: $0) } }
    // A file can hold any number.
    return Spread(of: perRound.map { Double($0.count) }).map {
      UInt64(exactly: $0.median.rounded()) ?? .max
    }
  }
}
