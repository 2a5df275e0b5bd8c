import LoopbenchKit

extension Option {
  static let comparing: [Option] = [
    Option(
      "--baseline",
      in: .comparing,
      of: measurers,
      "compare with this baseline, or this file, once measured",
      .value(placeholder: "NAME|FILE", words: .file) { options, value in
        guard !value.isEmpty else { return "the name of a baseline, or a file" }
        options.baseline = value
        return nil
      }
    ),
    Option(
      "--fail",
      in: .comparing,
      of: measurers.union([.compare]),
      "what is too slow, such as 'p99>+10%' or 'wake.p50>25us'; may be repeated",
      .value(placeholder: "RULE", words: .anything) { options, value in
        guard !value.isEmpty else { return "a rule such as p99>+10% or wake.p50>25us" }
        options.rules.append(value)
        return nil
      }
    ),
    Option(
      "--force",
      in: .comparing,
      of: measurers.union([.compare]),
      "compare though the machines differ",
      .on(\.allowsOtherMachine)
    ),
    Option(
      "--drop-disturbed",
      in: .comparing,
      of: measurers.union([.compare]),
      "leave rounds out that the machine disturbed; the file keeps them",
      .on(\.dropsDisturbed)
    ),
    Option(
      "--strict",
      in: .comparing,
      of: measurers.union([.compare, .doctor]),
      "too noisy to tell is exit 4, a machine not fit for measuring exit 7",
      .on(\.isStrict)
    ),
  ]

  static let writing: [Option] = [
    Option(
      "--format",
      short: "-f",
      in: .writing,
      of: measurers.union([.report]),
      "print as text, markdown, json, ndjson, csv, hgrm or prom (default: text)",
      .oneOf("FORMAT", \.format)
    ),
    Option(
      "--format",
      short: "-f",
      in: .writing,
      of: [.compare],
      "print as text, markdown or json (default: text)",
      .oneOf("FORMAT", \.format, among: ReportComparison.formats)
    ),
    Option(
      "--output",
      short: "-o",
      in: .writing,
      of: tracers.union([.report, .plot]),
      "write the full result, as JSON, to FILE; of plot the picture, of trace the trace",
      .value(placeholder: "FILE", words: .file) { options, value in
        guard !["", "-"].contains(value) else {
          return "the name of a file (standard output: --format json)"
        }
        options.output = value
        return nil
      }
    ),
    Option(
      "--export",
      in: .writing,
      of: measurers.union([.report]),
      "also write FILE in FORMAT; may be repeated",
      .parsed(
        "FORMAT=FILE",
        words: .exports,
        Values.export,
        or: "a format and a file, such as csv=wake.csv"
      ) {
        $0.exports.append($1)
      }
    ),
    Option(
      "--plot",
      in: .writing,
      of: measurers,
      "also draw the percentiles into FILE, which ends in .svg or .html",
      .value(placeholder: "FILE", words: .file) { options, value in
        guard value.hasSuffix(".svg") || value.hasSuffix(".html") else {
          return "the name of a file that ends in .svg or .html"
        }
        options.plot = value
        return nil
      }
    ),
    Option(
      "--label",
      in: .writing,
      of: measurers,
      "keep KEY=VALUE in the result, such as commit=1a2b3c; may be repeated",
      .value(placeholder: "KEY=VALUE", words: .anything) { options, value in
        guard let (key, text) = Values.pair(value) else {
          return "a key and a value, such as commit=1a2b3c"
        }
        let name = PromReport.labelName(key)
        let other = options.labels.keys.first { $0 != key && PromReport.labelName($0) == name }
        if let other { return "another key: as \(name), Prometheus takes it for \"\(other)\"" }
        options.labels[key] = text
        return nil
      }
    ),
    Option(
      "--json",
      in: .writing,
      of: [.list, .doctor, .version],
      "answer in JSON",
      .on(\.isJSON)
    ),
  ]
}
