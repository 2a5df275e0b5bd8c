import LoopbenchKit

extension Option {
  private static let shown = measurers.union(readers)

  static let showing: [Option] = [
    Option(
      "--percentiles LIST",
      .parsed(
        Percentile.list,
        or: "percentiles separated by commas, such as 50,99.9,max",
        .any,
        \.percentiles
      )
    )
    .of(tabulators.union([.report]))
    .meaning("percentile columns, such as 50,99.9,max (default: 50,90,99,99.9,max)"),
    Option("--color WHEN", .oneOf(\.color)).of(shown.union([.doctor]))
      .meaning("use colours: auto, always or never (default: auto, on a terminal)"),
    Option("--progress WHEN", .oneOf(\.progress))
      .meaning(
        "show progress on standard error: auto, always or never (default: auto, on a terminal)"
      ),
    Option("--ascii", .on(\.isASCII)).of(shown.union([.doctor, .list, .help, .baseline]))
      .meaning("print only ASCII, as in a locale without UTF-8"),
    Option("-q, --quiet", .on(\.isQuiet)).of(tracers)
      .meaning("print no progress and no notes"),
    Option("--kind KIND", .oneOf(\.plotKind)).of([.plot])
      .meaning("draw percentile, time, histogram or growth (default: percentile)"),
  ]

  static let general: [Option] = [
    Option("-h, --help", .flag { _ in }).of(Set(Command.Name.allCases))
      .meaning("show the help of the command"),
    Option("--version", .flag { $0.command = .version }).of([.run])
      .meaning("show the versions of loopbench and libuv"),
  ]
}
