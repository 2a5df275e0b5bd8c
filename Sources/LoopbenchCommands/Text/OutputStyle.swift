package import LoopbenchKit

/// The style of the output, which depends on options, environment and terminal.
package struct OutputStyle: Equatable, Sendable {
  package let usesColor: Bool
  package let usesProgress: Bool
  package let isASCII: Bool
  /// The number of columns of the output. Nil means no limit.
  package let width: Int?

  /// - Parameters:
  ///   - width: The width of the terminal. Nil if there is no terminal. The variable
  ///     COLUMNS takes precedence.
  ///   - isTerminal: Whether a stream is an interactive terminal.
  package init(
    _ options: Options,
    environment: [String: String],
    width: Int? = nil,
    isTerminal: (Terminal) -> Bool
  ) {
    let isDumb = environment["TERM"] == "dumb"
    let isCI = !["", "0", "false"].contains(environment["CI"] ?? "")
    usesColor =
      switch options.color {
      case .always: true
      case .never: false
      case .auto:
        Self.color(in: environment) ?? (isTerminal(.output) && !isDumb)
      }
    usesProgress =
      switch options.progress {
      case .always: !options.isQuiet
      case .never: false
      case .auto: isTerminal(.error) && !isDumb && !isCI && !options.isQuiet
      }
    isASCII = options.isASCII || isDumb || !Self.isUnicode(environment)
    self.width = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? width
  }

  /// Whether the locale has UTF-8. Assumed if the environment names no locale, as in
  /// many containers.
  private static func isUnicode(_ environment: [String: String]) -> Bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"].map { environment[$0] ?? "" }
    guard let locale = names.first(where: { !$0.isEmpty })?.uppercased() else { return true }
    return locale.contains("UTF-8") || locale.contains("UTF8")
  }

  /// Whether the environment asks for colour. Nil if it does not say. NO_COLOR
  /// takes precedence over CLICOLOR_FORCE.
  private static func color(in environment: [String: String]) -> Bool? {
    if environment["NO_COLOR"]?.isEmpty == false { return false }
    return ["", "0"].contains(environment["CLICOLOR_FORCE"] ?? "") ? nil : true
  }
}

extension Context {
  package func outputStyle(_ options: Options) -> OutputStyle {
    OutputStyle(options, environment: environment, width: width(), isTerminal: isTerminal)
  }
}

extension Options {
  /// The style of a report.
  func style(_ output: OutputStyle) -> ReportStyle {
    var style = ReportStyle()
    style.percentiles = percentiles
    style.usesColor = output.usesColor
    style.isASCII = output.isASCII
    style.width = output.width
    return style
  }
}

/// Shows the progress of a run on standard error, as one line that is updated.
package struct ProgressLine {
  private let style: OutputStyle
  private let width: Int
  private let write: Program.Write

  package init(
    _ style: OutputStyle,
    width: Int = Terminal.error.width,
    write: @escaping Program.Write
  ) {
    self.style = style
    self.width = width
    self.write = write
  }

  package func show(_ progress: Progress) {
    if style.usesProgress { put("\r\u{1B}[2K" + String(line(progress).prefix(width - 1))) }
  }

  package func clear() {
    if style.usesProgress { put("\r\u{1B}[2K") }
  }

  /// `█████░░░░░  50 %  round 6/12  8 s left  wake/across/lt`
  package func line(_ progress: Progress) -> String {
    let left = progress.remainingNs.map { "\(($0 + 999_999_999) / 1_000_000_000) s left" }
    let done = progress.fraction.map { fraction in
      bar(fraction) + String(Int(fraction * 100)).padded(to: 4) + " %"
    }
    return [done, rounds(progress), left, progress.contender].compactMap { $0 }
      .joined(separator: "  ")
  }

  private func rounds(_ progress: Progress) -> String {
    progress.rounds.map { "round \(progress.round)/\($0)" } ?? "warming up"
  }

  private func bar(_ fraction: Double) -> String {
    let cells = 20
    let full = Int(fraction * Double(cells))
    let (on, off) = style.isASCII ? ("#", "-") : ("█", "░")
    return String(repeating: on, count: full) + String(repeating: off, count: cells - full)
  }

  private func put(_ text: String) {
    // try?: a closed terminal must not end the run.
    try? write(.error, text)
  }
}
