/// What two reports differ by that should not be compared.
struct ReportDifference {
  /// What a comparison that was forced notes.
  let note: String
  /// What is said instead of a comparison, and what to do.
  let refusal: String

  /// Each reason once.
  static func all(_ base: Report, _ new: Report) -> [ReportDifference] {
    machines(base.machine, new.machine) + settings(base.settings, new.settings)
      + efforts(base, new)
  }

  private static func machines(_ base: Machine, _ new: Machine) -> [ReportDifference] {
    let fields: [(String, String, String)] = [
      ("the processor", base.cpu, new.cpu),
      ("the number of CPUs", "\(base.cpus)", "\(new.cpus)"),
      ("virtualization", base.virtualization, new.virtualization),
    ]
    let machines = fields.filter { $1 != $2 }.map { name, base, new in
      let note = "other machines: \(name) is \"\(base)\" in the base and \"\(new)\" now"
      return ReportDifference(
        note: note,
        refusal: "measured on \(note); --force compares them all the same"
      )
    }
    guard base.build != new.build else { return machines }
    let (first, other) = ("the base is a \(base.build) build", "the other a \(new.build) build")
    return machines + [
      ReportDifference(
        note: "\(first), \(other)",
        refusal: "\(first) and \(other); measure both with release"
      )
    ]
  }

  private init(note: String, refusal: String) {
    self.note = note
    self.refusal = refusal
  }

  /// Something was measured in another way.
  private init(setting name: String, _ base: String, _ new: String) {
    note = "\(name) is \(base) in the base and \(new) now"
    refusal =
      "measured in other ways: \(note); measure the base again with the same options"
  }

  private static func settings(
    _ base: Report.Settings,
    _ new: Report.Settings
  ) -> [ReportDifference] {
    let fields = [
      ("the order", base.order, new.order),
      ("placement", text(base.placement), text(new.placement)),
      ("the rate", base.pace.text, new.pace.text),
      ("what was asked of the machine", text(base.conditions), text(new.conditions)),
    ]
    return fields.filter { $1 != $2 }.map { ReportDifference(setting: $0, $1, $2) }
  }

  private static func text(_ placement: Placement) -> String {
    let seats = [placement.loop, placement.producer].map { $0.map { "CPU \($0)" } ?? "anywhere" }
    return "loop \(seats[0]), producer \(seats[1])"
  }

  private static func text(_ conditions: RunConditions?) -> String {
    conditions?.parts.joined(separator: ", ") ?? "nothing"
  }

  /// A round of more samples has another maximum, and another p99.9.
  private static func efforts(_ base: Report, _ new: Report) -> [ReportDifference] {
    let other = new.results.lazy.compactMap { result -> ReportDifference? in
      guard let counterpart = base.results.first(where: { $0.isSame(as: result) }) else {
        return nil
      }
      let isStated = counterpart.samplesPerRound != nil && result.samplesPerRound != nil
      guard let before = counterpart.samples(isStated), let now = result.samples(isStated),
        before != now
      else { return nil }
      let name = "the samples of \(result.path) in a round"
      return ReportDifference(setting: name, "\(before)", "\(now)")
    }
    return other.first.map { [$0] } ?? []
  }
}

extension Report.Result {
  /// How many samples a round was to take or, of files that do not say, took; `nil`
  /// before the first.
  fileprivate func samples(_ isStated: Bool) -> UInt64? {
    if isStated { return known.samplesPerRound.map { UInt64(clamping: $0) } }
    // A file can hold any number.
    return Spread(of: known.perRound.map { Double($0.count) }).map {
      UInt64(exactly: $0.median.rounded()) ?? .max
    }
  }
}
