import LoopbenchKit

extension Option {
  static let comparing: [Option] = [
    Option(
      "--baseline NAME|FILE",
      of: measurers,
      "compare with this baseline, or this file, once measured",
      .parsed(OptionValues.text, or: "the name of a baseline, or a file", .file) {
        $0.baseline = $1
      }
    ),
    Option(
      "--fail RULE",
      of: measurers.union([.compare]),
      "what is too slow, such as 'p99>+10%' or 'wake.p50>25us'; may be repeated",
      .parsed(OptionValues.text, or: "a rule such as p99>+10% or wake.p50>25us") {
        $0.rules.append($1)
      }
    ),
    Option(
      "--force",
      of: measurers.union([.compare]),
      "compare though the machines differ",
      .on(\.allowsOtherMachine)
    ),
    Option(
      "--drop-disturbed",
      of: measurers.union([.compare]),
      "leave rounds out that the machine disturbed; the file keeps them",
      .on(\.dropsDisturbed)
    ),
    Option(
      "--strict",
      of: measurers.union([.compare, .doctor]),
      "too noisy to tell is exit 4, a machine not fit for measuring exit 7",
      .on(\.isStrict)
    ),
  ]

  static let writing: [Option] = [
    Option(
      "-f, --format FORMAT",
      of: measurers.union([.report]),
      "print as text, markdown, json, ndjson, csv, hgrm or prom (default: text)",
      .oneOf(\.format)
    ),
    Option(
      "-f, --format FORMAT",
      of: [.compare],
      "print as text, markdown or json (default: text)",
      .oneOf(\.format, among: ReportComparison.formats)
    ),
    Option(
      "-o, --output FILE",
      of: tracers.union([.report, .plot]),
      "write the full result, as JSON, to FILE; of plot the picture, of trace the trace",
      .parsed(
        { ["", "-"].contains($0) ? nil : $0 },
        or: "the name of a file (standard output: --format json)",
        .file
      ) { $0.output = $1 }
    ),
    Option(
      "--export FORMAT=FILE",
      of: measurers.union([.report]),
      "also write FILE in FORMAT; may be repeated",
      .parsed(OptionValues.export, or: "a format and a file, such as csv=wake.csv", .exports) {
        $0.exports.append($1)
      }
    ),
    Option(
      "--plot FILE",
      of: measurers,
      "also draw the percentiles into FILE, which ends in .svg or .html",
      .parsed(OptionValues.picture, or: OptionValues.aPicture, .file) { $0.plot = $1 }
    ),
    Option(
      "--label KEY=VALUE",
      of: measurers,
      "keep KEY=VALUE in the result, such as commit=1a2b3c; may be repeated",
      .value(.anything) { options, value in
        guard let (key, text) = OptionValues.pair(value) else {
          return "a key and a value, such as commit=1a2b3c"
        }
        let name = PromReport.labelName(key)
        let other = options.labels.keys.first { $0 != key && PromReport.labelName($0) == name }
        if let other { return "another key: as \(name), Prometheus takes it for \"\(other)\"" }
        options.labels[key] = text
        return nil
      }
    ),
    Option("--json", of: [.list, .doctor, .version], "answer in JSON", .on(\.isJSON)),
  ]
}
