/// A difference between two reports that makes their times incomparable.
struct ReportDifference {
  /// The note if the comparison is forced.
  let note: String
  /// The error message if the comparison is refused.
  let refusal: String

  static func all(_ base: Report, _ new: Report) -> [ReportDifference] {
    machines(base.machine, new.machine) + settings(base, new)
  }

  /// A sentence for each field that differs.
  static func sentences(_ fields: [(name: String, base: String, new: String)]) -> [String] {
    fields.filter { $0.base != $0.new }.map {
      "\($0.name) is \($0.base) in the base and \($0.new) now"
    }
  }

  private static func machines(_ base: Machine, _ new: Machine) -> [ReportDifference] {
    let machines = sentences([
      ("the processor", "\"\(base.cpu)\"", "\"\(new.cpu)\""),
      ("the number of CPUs", "\(base.cpus)", "\(new.cpus)"),
      ("virtualization", "\"\(base.virtualization)\"", "\"\(new.virtualization)\""),
    ]).map { sentence in
      ReportDifference(
        note: "other machines: \(sentence)",
        refusal: "measured on other machines: \(sentence); use --force to compare them anyway"
      )
    }
    guard base.build != new.build else { return machines }
    let builds = "the base is a \(base.build) build, the other a \(new.build) build"
    return machines + [.init(note: builds, refusal: "\(builds); measure both with release builds")]
  }

  private static func settings(_ base: Report, _ new: Report) -> [ReportDifference] {
    let (old, now) = (base.settings, new.settings)
    let settings = [
      ("placement", text(old.placement), text(now.placement)),
      ("the rate", old.pace.text, now.pace.text),
      ("the load", old.load ?? "none", now.load ?? "none"),
    ]
    return sentences(settings + efforts(base, new)).map { sentence in
      let refusal =
        "measured in other ways: \(sentence); measure the base again with the same options"
      return ReportDifference(note: sentence, refusal: refusal)
    }
  }

  private static func text(_ placement: Placement) -> String {
    let seats = [placement.loop, placement.producer].map { $0.map { "CPU \($0)" } ?? "anywhere" }
    return "loop \(seats[0]), producer \(seats[1])"
  }

  /// The first result whose number of samples per round differs. This number
  /// affects the maximum and the p99.9.
  private static func efforts(_ base: Report, _ new: Report) -> [(String, String, String)] {
    let other = new.results.lazy.compactMap { result -> (String, String, String)? in
      let now = result.samplesPerRound
      guard let counterpart = base.results.first(where: { $0.isSame(as: result) }),
        counterpart.samplesPerRound != now
      else { return nil }
      let name = "the number of samples per round of \(result.path)"
      return (name, "\(counterpart.samplesPerRound)", "\(now)")
    }
    return other.first.map { [$0] } ?? []
  }
}
