import LoopbenchKit

extension Option {
  private static let shown = measurers.union(readers)

  static let showing: [Option] = [
    Option(
      "--percentiles LIST",
      of: tabulators.union([.report]),
      "percentile columns, such as 50,99.9,max (default: 50,90,99,99.9,max)",
      .parsed(
        Percentile.list,
        or: "percentiles separated by commas, such as 50,99.9,max",
        .any,
        \.percentiles
      )
    ),
    Option(
      "-u, --unit UNIT",
      of: tabulators.union([.report]),
      "unit of times: auto, ns, us or ms (default: auto, one per table)",
      .value(.oneOf(units)) { options, value in
        guard units.contains(value) else { return OptionValues.list(units) }
        options.unit = TimeUnit(rawValue: value)
        return nil
      }
    ),
    Option(
      "--color WHEN",
      of: shown.union([.doctor]),
      "use colours: auto, always or never (default: auto, on a terminal)",
      .oneOf(\.color)
    ),
    Option(
      "--progress WHEN",
      "show progress on standard error: auto, always or never (default: auto, on a terminal)",
      .oneOf(\.progress)
    ),
    Option(
      "--ascii",
      of: shown.union([.doctor, .list, .help, .baseline]),
      "print only ASCII, as in a locale without UTF-8",
      .on(\.isASCII)
    ),
    Option("-q, --quiet", of: tracers, "print no progress and no notes", .on(\.isQuiet)),
    Option(
      "--kind KIND",
      of: [.plot],
      "draw percentile, time, histogram or growth (default: percentile)",
      .oneOf(\.plotKind)
    ),
    Option("--term", of: [.plot], "draw on the terminal", .on(\.isTerminalPlot)),
  ]

  private static let units = ["auto"] + TimeUnit.allCases.map(\.rawValue)

  static let general: [Option] = [
    Option(
      "-C, --config FILE",
      of: shown.union([.trace]),
      "read options from FILE (default: loopbench.json, if present, which cannot write files or run"
        + " commands)",
      .optional(OptionValues.text, or: "the name of a file", .file, \.configuration)
    ),
    Option(
      "-h, --help",
      of: Set(Command.Name.allCases),
      "show the help of the command",
      .flag { _ in }
    ),
    Option(
      "--version",
      of: [.run],
      "show the versions of loopbench and libuv",
      .flag { $0.command = .version }
    ),
  ]
}
