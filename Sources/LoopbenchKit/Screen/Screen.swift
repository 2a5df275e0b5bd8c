/// The answer of a run on one screen: a row for each question, the state of the
/// machine, the finding, and the next commands.
package struct Screen {
  package let answers: [Answer]
  let machine: MachineState
  private let report: Report
  let style: ReportStyle

  private static let lines = 24
  var width: Int { style.width ?? 80 }

  /// - Parameters:
  ///   - tails: The comparisons of the p99.
  ///   - style: A width of nil means 80 columns.
  package init(
    _ report: Report,
    _ questions: [Question],
    _ machine: MachineState,
    tails: [Tail],
    style: ReportStyle = ReportStyle()
  ) {
    answers = questions.map { Answer($0, in: report, tails: tails) }
    (self.report, self.machine, self.style) = (report, machine, style)
  }

  /// The text, which ends in a newline. It has at most 24 lines, unless warnings or a
  /// terminal of less than 60 columns need more. It leaves out reasons only if that makes
  /// it fit.
  package func text() -> String {
    let full = blocks(.all)
    let texts =
      [String(blocks: full), Self.dense(full)]
      + [Reasons.tails, .none].map { Self.dense(blocks($0)) }
    let text = texts.first { $0.count { $0 == "\n" } <= Self.lines } ?? texts[0]
    return style.isASCII ? ASCII.text(text) : text
  }

  private static func dense(_ blocks: [[String]]) -> String {
    blocks.flatMap { $0 }.map { $0 + "\n" }.joined()
  }

  /// The reasons that are shown below the rows.
  private enum Reasons {
    case all
    /// Only those that name a worse time.
    case tails
    case none
  }

  private func blocks(_ reasons: Reasons) -> [[String]] {
    [
      [title.printable] + wrapped(warnings),
      rows(reasons) + wrapped(footnotes),
      wrapped([state, finding]),
      nextLines,
    ]
  }

  func wrapped(_ texts: [String]) -> [String] {
    texts.flatMap { $0.printable.wrapped(to: width, indent: 2) }
  }
}

extension Screen {
  /// The question, and as much about the machine as fits beside it.
  private var title: String {
    let question = "How late is your loop?"
    let space = width - question.count - 2
    let fitting = machineTexts.first { $0.count <= space } ?? ""
    return fitting.isEmpty ? question : question + fitting.padded(to: space + 2)
  }

  /// The versions and the machine, from the longest text to the shortest.
  private var machineTexts: [String] {
    let machine = report.machine
    let versions = ["\(report.tool.name) \(report.tool.version)", "libuv \(machine.libuv)"]
    let (count, host) = (String.counted(machine.cpus, "CPU"), machine.virtualization)
    let (name, short) = (machine.cpu.printable, machine.cpu.printable.shortCPU)
    let texts = [
      versions + [name, count, host], versions + [short, count, host], versions + [short, count],
      versions + [count, host], versions + [count], versions, [versions[0]],
    ]
    return texts.map { $0.filter { !$0.isEmpty }.joined(separator: " · ") }
  }

  /// The faults of the machine, and other reasons to doubt the answers. Disturbed rounds
  /// are reported below the rows.
  private var warnings: [String] {
    let shown = report.warnings.filter { $0.id != "disturbed" }
    return shown.map { "warning: \($0.text); \(style.naming($0.hint))" }
  }

  private var spoilingWarnings: Int { report.warnings.count { $0.spoil != nil } }

  private var footnotes: [String] {
    let isUnresolved = answers.contains { $0.isMeasured && $0.worst == nil }
    let isMarked = spoilingWarnings > 0 && answers.contains { $0.comparison != nil }
    let warnings = spoilingWarnings == 1 ? "warning" : "warnings"
    return [sharedReason].compactMap { $0 }
      + (isMarked ? ["?: doubtful; see the \(warnings) above"] : [])
      + (isUnresolved
        ? ["-: too few samples to tell the worst 1 % from the largest sample"] : [])
  }

  /// The reason that all verdicts with a reason share. It is a footnote, to say it once.
  private var sharedReason: String? {
    let explained = answers.filter { $0.reason() != nil }
    guard explained.count > 1, let first = explained.first else { return nil }
    let isShared =
      explained.allSatisfy { $0.reason() == first.reason() }
      && answers.allSatisfy { $0.word != first.word || $0.reason() != nil }
    return isShared ? first.reason() : nil
  }

  /// The reason beside or below a verdict.
  private func reason(of answer: Answer, showsInterval: Bool = true) -> String? {
    sharedReason == nil ? answer.reason(showsInterval: showsInterval) : nil
  }

  /// `Machine: quiet. Other processes used 0.02 of 2 CPUs during 26 rounds.`
  private var state: String {
    let word =
      if let load = report.settings.load {
        "busy with --load \(load)"
      } else if machine.faults.isEmpty {
        machine.others.map { Doctor.isQuiet($0, of: machine.cpus) ? "quiet" : "not quiet" }
          ?? "load unknown"
      } else {
        machine.faults.contains { $0.id == "load" } ? "busy" : "not fit for measuring"
      }
    let used = machine.others.map {
      "Other processes used \(Decimals.text($0, digits: 2)) of"
        + " \(String.counted(machine.cpus, "CPU")) during"
    }
    let disturbed = report.rounds.count(where: \.isDisturbed)
    let rounds =
      String.counted(report.rounds.count, "round")
    let interruption =
      disturbed == 0 ? "" : " The host or the scheduler interrupted \(disturbed) of them."
    return "Machine: \(word). \(used ?? "Measured in") \(rounds).\(interruption)"
  }
}

extension Screen {
  private func rows(_ reasons: Reasons) -> [String] {
    var columns = allColumns.fitting(width, indent: "", answers)
    if !columns.contains(where: { $0.rank == .question }) { columns.insert(subject, at: 0) }
    // If even the last columns are too wide, the subject has a line of its own.
    let isStacked = !TextTable(columns, answers).fits(width, indent: "")
    let lines = TextTable(isStacked ? Array(columns.dropFirst()) : columns, answers)
      .lines(indent: isStacked ? "  " : "", style: ANSIStyle(isOn: style.usesColor))
    let isWhyShown = columns.contains { $0.rank == .why }
    return [lines[0]]
      + zip(lines.dropFirst(), answers).flatMap { line, answer in
        let shown: String? =
          switch reasons {
          case _ where isWhyShown: nil
          case .all: reason(of: answer)
          case .tails: sharedReason == nil ? answer.tailReason : nil
          case .none: nil
          }
        return (isStacked ? [answer.question.subject] : []) + [line]
          + (shown.map { ("    " + $0).wrapped(to: width, indent: 6) } ?? [])
      }
  }

  private typealias Column = TableColumn<Answer, Rank>

  /// The order in which a narrow screen leaves out columns. The question gives way to its
  /// subject.
  private enum Rank: CaseIterable {
    case samples
    case why
    case interval
    case noise
    case libuv
    case bar
    case question
    case always
  }

  private var subject: Column {
    Column(title: "", rank: .always, isLeft: true) { $0.question.subject }
  }

  private var allColumns: [Column] {
    // 120: a terminal of this width has room for a longer bar.
    let cells = width < 120 ? 4 : 10
    let bar = (style.isASCII ? "less|more" : "less│more")
      .padded(to: cells + 5).padded(to: cells * 2 + 1, isLeft: true)
    let spoil = spoilingWarnings > 0 ? " ?" : ""
    let sign = style.isASCII ? "+-" : "±"
    func time(_ value: Double?) -> String { value.map(TimeText.spaced) ?? "" }
    return [
      Column(title: "", rank: .question, isLeft: true) { $0.question.text },
      Column(title: "typical", rank: .always) { time($0.typical) },
      Column(title: "worst 1 %", rank: .always) {
        $0.isMeasured && $0.worst == nil ? "-" : time($0.worst)
      },
      Column(title: "libuv typical", rank: .libuv) { time($0.libuv.typical) },
      Column(title: "libuv worst 1 %", rank: .libuv) { time($0.libuv.worst) },
      Column(title: bar, rank: .bar, isLeft: true) {
        $0.bar(cells: cells, isASCII: style.isASCII)
      },
      Column(title: "than libuv", rank: .always, isLeft: true) {
        $0.verdict + ($0.comparison == nil ? "" : spoil)
      },
      Column(title: "95 %", rank: .interval) { $0.interval },
      Column(title: "noise", rank: .noise) { $0.noise.map { sign + $0.percent } ?? "" },
      Column(title: "samples", rank: .samples) { $0.isMeasured ? String($0.samples) : "" },
      // The interval is beside it.
      Column(title: "because", rank: .why, isLeft: true) {
        reason(of: $0, showsInterval: false) ?? ""
      },
    ]
  }
}

extension Answer {
  fileprivate var interval: String {
    comparison.map {
      [$0.interval.low, $0.interval.high].map { Decimals.figures($0) + "x" }
        .joined(separator: "..")
    } ?? ""
  }
}

extension String {
  /// The name of a CPU without trademarks, its clock rate and its number of cores.
  fileprivate var shortCPU: String {
    var text = self[...]
    for end in [" @ ", " with "] {
      text = text.firstRange(of: end).map { text[..<$0.lowerBound] } ?? text
    }
    let words = text.split(separator: " ").map { word in
      ["(R)", "(TM)", "(tm)"].reduce(String(word)) { $0.replacing($1, with: "") }
    }
    let dropped = ["", "CPU", "Processor"]
    return words.filter { !dropped.contains($0) && !$0.hasSuffix("-Core") }
      .joined(separator: " ")
  }
}
