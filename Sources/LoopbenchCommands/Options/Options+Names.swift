import LoopbenchKit

extension Options {
  /// Checks that what is to be shown is in one of the files.
  ///
  /// - Throws: `UnavailableError`, which says what is there.
  func checkNames(in reports: [Report]) throws(UnavailableError) {
    let results = reports.flatMap(\.results)
    try Self.check(shownScenarios, in: results.map(\.scenario), "scenario")
    try Self.check(shownPeers, in: results.map(\.peer), "peer")
  }

  private static func check(
    _ wanted: [String],
    in known: [String],
    _ what: String
  ) throws(UnavailableError) {
    guard let name = wanted.first(where: { !known.contains($0) }) else { return }
    var seen: Set<String> = []
    let names = known.filter { seen.insert($0).inserted }.joined(separator: ", ")
    throw UnavailableError(
      description: "there is no \(what) \"\(name)\" in what was measured; there is \(names)"
    )
  }
}
