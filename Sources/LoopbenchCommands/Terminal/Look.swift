package import LoopbenchKit

/// How much is shown, and with what, by the options and by who looks.
package struct Look: Equatable, Sendable {
  package let usesColor: Bool
  package let usesProgress: Bool
  package let isASCII: Bool
  /// The columns of the terminal; `nil` where there is none.
  package let width: Int?

  /// - Parameter isTerminal: Whether somebody is likely to look at it.
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
    isASCII = options.isASCII || isDumb
    self.width = width
  }

  /// What the environment asks for: NO_COLOR before CLICOLOR_FORCE.
  private static func color(in environment: [String: String]) -> Bool? {
    if environment["NO_COLOR"]?.isEmpty == false { return false }
    return ["", "0"].contains(environment["CLICOLOR_FORCE"] ?? "") ? nil : true
  }
}

extension Context {
  package func look(_ options: Options) -> Look {
    Look(options, environment: environment, width: width(), isTerminal: isTerminal)
  }
}

extension Options {
  /// How a report is shown to whoever looks.
  func style(_ look: Look) -> ReportStyle {
    var style = ReportStyle()
    style.percentiles = percentiles
    style.unit = unit
    style.usesColor = look.usesColor
    style.isASCII = look.isASCII
    style.width = look.width
    return style
  }
}
