import LoopbenchKit

extension Option {
  private static let shown = measurers.union(readers)

  static let showing: [Option] = [
    Option(
      "--percentiles LIST",
      of: measurers.union([.report]),
      "the columns, such as 50,99.9,max (default: 50,90,99,99.9,max)",
      .parsed(Percentile.list, or: "percentiles separated by commas, such as 50,99.9,max") {
        $0.percentiles = $1
      }
    ),
    Option(
      "-u, --unit UNIT",
      of: measurers.union([.report]),
      "the unit of times: auto, ns, us or ms (default: auto, one a table)",
      .value(.oneOf(units)) { options, value in
        guard units.contains(value) else { return OptionValues.list(units) }
        options.unit = TimeUnit(rawValue: value)
        return nil
      }
    ),
    Option(
      "--no-warn ID",
      of: measurers,
      "do not show the warning ID; may be repeated",
      .parsed(OptionValues.text, or: "the id of a warning, such as few-rounds") {
        $0.hiddenWarnings.insert($1)
      }
    ),
    Option(
      "--color WHEN",
      of: shown.union([.doctor]),
      "colours: auto, always or never (default: auto, on a terminal)",
      .oneOf(\.color)
    ),
    Option(
      "--progress WHEN",
      of: measurers,
      "a bar on standard error: auto, always or never (default: auto, on a terminal)",
      .oneOf(\.progress)
    ),
    Option(
      "--ascii",
      of: shown.union([.doctor, .list, .help, .baseline]),
      "write nothing beyond ASCII",
      .on(\.isASCII)
    ),
    Option(
      "-q, --quiet",
      of: tracers,
      "no progress and no notes; errors and the report only",
      .on(\.isQuiet)
    ),
    Option(
      "-v, --verbose",
      of: measurers,
      "a line on standard error for each round",
      .on(\.isVerbose)
    ),
    Option(
      "--kind KIND",
      of: [.plot],
      "draw percentile, time or histogram (default: percentile)",
      .oneOf(\.plotKind)
    ),
    Option(
      "--to PERCENTILE",
      of: [.plot],
      "end the percentile axis here, such as 99.99",
      .parsed(
        { Percentile($0).flatMap { $0.thousandths >= Percentile.p50.thousandths ? $0 : nil } },
        or: "a percentile from 50, where the axis begins, such as 99.99"
      ) { $0.plotEnd = $1 }
    ),
    Option("--linear", of: [.plot], "a linear time axis", .on(\.isLinear)),
    Option("--term", of: [.plot], "draw on the terminal", .on(\.isTerminalPlot)),
  ]

  private static let units = ["auto"] + TimeUnit.allCases.map(\.rawValue)

  static let general: [Option] = [
    Option(
      "-C, --config FILE",
      of: shown.union([.trace]),
      "read options from FILE (default: loopbench.json, if there, which cannot write files or run"
        + " commands)",
      .parsed(OptionValues.text, or: "the name of a file", .file) { $0.configuration = $1 }
    ),
    Option(
      "-h, --help",
      of: Set(Command.Name.allCases),
      "show what the command does and takes",
      .flag { _ in }
    ),
    Option(
      "--version",
      of: [.run],
      "show the version of loopbench and of libuv",
      .flag { $0.command = .version }
    ),
  ]
}
