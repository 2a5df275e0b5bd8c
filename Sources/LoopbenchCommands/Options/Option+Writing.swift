import LoopbenchKit

extension Option {
  static let comparing: [Option] = [
    Option(
      "--baseline NAME|FILE",
      .optional(OptionValues.text, or: "the name of a baseline, or a file", .file, \.baseline)
    )
    .of(tabulators)
    .meaning("compare the results with this baseline or file"),
    Option(
      "--fail RULE",
      .parsed(OptionValues.text, or: "a rule such as p99>+10% or wake.p50>25us") {
        $0.rules.append($1)
      }
    )
    .of(tabulators.union([.compare]))
    .meaning("fail if slower than allowed, such as 'p99>+10%' or 'wake.p50>25us'; repeatable"),
    Option("--force", .on(\.allowsOtherMachine)).of(tabulators.union([.compare]))
      .meaning("compare results of different machines or settings"),
    Option("--strict", .on(\.isStrict)).of(measurers.union([.compare, .doctor]))
      .meaning("exit 4 if too noisy to decide, 7 if this machine is not fit for measuring"),
  ]

  static let writing: [Option] = [
    Option("-f, --format FORMAT", .oneOf(\.format)).of(tabulators.union([.report]))
      .meaning("print text, markdown, json or csv (default: text)"),
    Option("-f, --format FORMAT", .oneOf(\.format, among: ReportComparison.formats)).of([.compare])
      .meaning("print text, markdown or json (default: text)"),
    Option(
      "-o, --output FILE",
      .optional(
        { ["", "-"].contains($0) ? nil : $0 },
        or: "the name of a file (standard output: --format json)",
        .file,
        \.output
      )
    )
    .of(tracers.union([.plot]))
    .meaning(
      "write the full result to FILE as JSON; for plot the picture, for trace the trace or its page"
    ),
    Option(
      "--label KEY=VALUE",
      .parsed(OptionValues.pair, or: "a key and a value, such as commit=1a2b3c") {
        $0.labels[$1.key] = $1.value
      }
    )
    .meaning("add KEY=VALUE to the result, such as commit=1a2b3c; repeatable"),
    Option("--json", .on(\.isJSON)).of([.list, .doctor, .version])
      .meaning("print JSON"),
  ]
}
