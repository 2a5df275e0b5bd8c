extension Screen {
  /// One sentence that names the better, the worse and the equal times.
  var finding: String {
    let measured = answers.filter { $0.comparison != nil }
    guard !measured.isEmpty else { return "Nothing was compared with libuv." }
    let words = ["sooner", "cheaper", "later", "dearer", "same", "unsure"]
    let clauses = words.compactMap { word -> String? in
      let subjects = measured.filter { $0.word == word }.map(\.question.subject)
      return subjects.isEmpty ? nil : "\(subjects.listed("and")) are \(Self.predicate(word))"
    }
    return "Compared with libuv, \(clauses.joined(separator: "; "))." + missing
  }

  /// The sentence about answers that were not measured, such as wakes on another CPU on a
  /// machine of one CPU.
  private var missing: String {
    let subjects = answers.filter { !$0.isMeasured }.map(\.question.subject)
    guard let first = subjects.first else { return "" }
    let list = subjects.listed("and")
    return " " + first.prefix(1).uppercased() + list.dropFirst() + " were not measured."
  }

  private static func predicate(_ word: String) -> String {
    switch word {
    case "same": "the same"
    case "unsure": "too close or too noisy to tell"
    default: word
    }
  }

  /// Two commands that lead on.
  var nextLines: [String] {
    let widest = nextCommands.map(\.name.count).max() ?? 0
    let lines = nextCommands.map { $0.name.padded(to: widest + 3, isLeft: true) + $0.purpose }
    guard lines.contains(where: { $0.count > width }) else { return lines }
    return nextCommands.flatMap { wrapped([$0.name, "  " + $0.purpose]) }
  }

  private var nextCommands: [(name: String, purpose: String)] {
    let program = style.program
    let quiet = ("\(program) help wake", "where a wake begins and ends")
    let busy = ("\(program) doctor", "each fault of this machine, with its remedy")
    return [
      ("\(program) run", "every scenario, with percentiles and intervals"),
      machine.faults.isEmpty ? quiet : busy,
    ]
  }
}
