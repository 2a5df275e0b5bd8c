import LoopbenchKit

extension Option {
  static let comparing: [Option] = [
    Option(
      "--baseline NAME|FILE",
      of: tabulators,
      "compare the results with this baseline or file",
      .optional(OptionValues.text, or: "the name of a baseline, or a file", .file, \.baseline)
    ),
    Option(
      "--fail RULE",
      of: tabulators.union([.compare]),
      "fail if slower than allowed, such as 'p99>+10%' or 'wake.p50>25us'; repeatable",
      .parsed(OptionValues.text, or: "a rule such as p99>+10% or wake.p50>25us") {
        $0.rules.append($1)
      }
    ),
    Option(
      "--force",
      of: tabulators.union([.compare]),
      "compare results of different machines or settings",
      .on(\.allowsOtherMachine)
    ),
    Option(
      "--drop-disturbed",
      of: measurers.union([.compare]),
      "leave out rounds that the machine disturbed; the file keeps them",
      .on(\.dropsDisturbed)
    ),
    Option(
      "--strict",
      of: measurers.union([.compare, .doctor]),
      "exit 4 if too noisy to decide, 7 if this machine is not fit for measuring",
      .on(\.isStrict)
    ),
  ]

  static let writing: [Option] = [
    Option(
      "-f, --format FORMAT",
      of: tabulators.union([.report]),
      "print text, markdown, json, ndjson, csv, hgrm or prom (default: text)",
      .oneOf(\.format)
    ),
    Option(
      "-f, --format FORMAT",
      of: [.compare],
      "print text, markdown or json (default: text)",
      .oneOf(\.format, among: ReportComparison.formats)
    ),
    Option(
      "-o, --output FILE",
      of: tracers.union([.report, .plot]),
      "write the full result to FILE as JSON; for plot the picture, for trace the trace or its page",
      .optional(
        { ["", "-"].contains($0) ? nil : $0 },
        or: "the name of a file (standard output: --format json)",
        .file,
        \.output
      )
    ),
    Option(
      "--export FORMAT=FILE",
      of: measurers.union([.report]),
      "also write FILE in FORMAT; repeatable",
      .parsed(OptionValues.export, or: "a format and a file, such as csv=wake.csv", .exports) {
        $0.exports.append($1)
      }
    ),
    Option(
      "--plot FILE",
      "also draw the percentiles into FILE, which must end in .svg or .html",
      .optional(OptionValues.picture, or: OptionValues.aPicture, .file, \.plot)
    ),
    Option(
      "--label KEY=VALUE",
      "add KEY=VALUE to the result, such as commit=1a2b3c; repeatable",
      .value(.any) { options, value in
        guard let (key, text) = OptionValues.pair(value) else {
          return "a key and a value, such as commit=1a2b3c"
        }
        let name = PromReport.labelName(key)
        let other = options.labels.keys.first { $0 != key && PromReport.labelName($0) == name }
        if let other { return "another key, because Prometheus names it \(name) like \"\(other)\"" }
        options.labels[key] = text
        return nil
      }
    ),
    Option("--json", of: [.list, .doctor, .version], "print JSON", .on(\.isJSON)),
  ]
}
