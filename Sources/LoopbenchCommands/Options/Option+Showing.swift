import LoopbenchKit

extension Option {
  private static let shown = measurers.union(readers)
  private static let configured = shown.union([.trace])

  static let showing: [Option] = [
    Option(
      "--percentiles",
      in: .showing,
      of: measurers.union([.report]),
      "the columns, such as 50,99.9,max (default: 50,90,99,99.9,max)",
      .value(placeholder: "LIST", words: .anything) { options, value in
        // try?: what is wrong is said here, as for every option.
        guard let percentiles = try? Percentile.list(value) else {
          return "percentiles separated by commas, such as 50,99.9,max"
        }
        options.percentiles = percentiles
        return nil
      }
    ),
    Option(
      "--unit",
      short: "-u",
      in: .showing,
      of: measurers.union([.report]),
      "the unit of times: auto, ns, us or ms (default: auto, one a table)",
      .value(placeholder: "UNIT", words: .oneOf(units)) { options, value in
        guard units.contains(value) else { return Values.list(units) }
        options.unit = TimeUnit(rawValue: value)
        return nil
      }
    ),
    Option(
      "--no-warn",
      in: .showing,
      of: measurers,
      "do not show the warning ID; may be repeated",
      .value(placeholder: "ID", words: .anything) { options, value in
        guard !value.isEmpty else { return "the id of a warning, such as few-rounds" }
        options.hiddenWarnings.insert(value)
        return nil
      }
    ),
    Option(
      "--color",
      in: .showing,
      of: shown.union([.doctor]),
      "colours: auto, always or never (default: auto, on a terminal)",
      .oneOf("WHEN", \.color)
    ),
    Option(
      "--progress",
      in: .showing,
      of: measurers,
      "a bar on standard error: auto, always or never (default: auto, on a terminal)",
      .oneOf("WHEN", \.progress)
    ),
    Option(
      "--ascii",
      in: .showing,
      of: shown.union([.doctor, .list, .help, .baseline]),
      "write nothing beyond ASCII",
      .on(\.isASCII)
    ),
    Option(
      "--quiet",
      short: "-q",
      in: .showing,
      of: tracers,
      "no progress and no notes; errors and the report only",
      .on(\.isQuiet)
    ),
    Option(
      "--verbose",
      short: "-v",
      in: .showing,
      of: measurers,
      "a line on standard error for each round",
      .on(\.isVerbose)
    ),
  ]

  private static let units = ["auto"] + TimeUnit.allCases.map(\.rawValue)

  static let plotting: [Option] = [
    Option(
      "--kind",
      in: .showing,
      of: [.plot],
      "draw percentile, time or histogram (default: percentile)",
      .oneOf("KIND", \.plotKind)
    ),
    Option(
      "--to",
      in: .showing,
      of: [.plot],
      "end the percentile axis here, such as 99.99",
      .value(placeholder: "PERCENTILE", words: .anything) { options, value in
        // try?: what is wrong is said here, as for every option.
        guard
          let percentile = try? Percentile(value),
          percentile.thousandths >= Percentile.p50.thousandths
        else {
          return "a percentile from 50, where the axis begins, such as 99.99"
        }
        options.plotEnd = percentile
        return nil
      }
    ),
    Option("--linear", in: .showing, of: [.plot], "a linear time axis", .on(\.isLinear)),
    Option("--term", in: .showing, of: [.plot], "draw on the terminal", .on(\.isTerminalPlot)),
  ]

  static let general: [Option] = [
    Option(
      "--config",
      short: "-C",
      in: .general,
      of: configured,
      "read options from FILE (default: loopbench.json, if there, which cannot write files or run"
        + " commands)",
      .value(placeholder: "FILE", words: .file) { options, value in
        guard !value.isEmpty else { return "the name of a file" }
        options.configuration = value
        return nil
      }
    ),
    Option(
      "--help",
      short: "-h",
      in: .general,
      of: Set(Command.Name.allCases),
      "show what the command does and takes",
      .flag { _ in }
    ),
    Option(
      "--version",
      in: .general,
      of: [.run],
      "show the version of loopbench and of libuv",
      .flag { $0.command = .version }
    ),
  ]
}
