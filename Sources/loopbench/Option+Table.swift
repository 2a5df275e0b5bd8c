extension Option {
  /// Every option. The parser, the help and the suggestions are made from it.
  package static let table: [Option] = [
    Option(
      short: "-p",
      long: "--peers",
      summary: "measure only these peers, separated by commas (default: all)",
      action: .value(placeholder: "LIST") { options, value in
        let names = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains("") else { return "names separated by commas" }
        options.peers = names
        return nil
      }
    ),
    Option(
      short: nil,
      long: "--rounds",
      summary: "measure N rounds (default: as many as fit in 20 s, 10 to 30)",
      action: .value(placeholder: "N") { options, value in
        guard let rounds = Int(value), 1...1000 ~= rounds else {
          return "a whole number from 1 to 1000"
        }
        options.rounds = rounds
        return nil
      }
    ),
    Option(
      short: nil,
      long: "--seed",
      summary: "repeat the order and the load of the run that printed this seed",
      action: .value(placeholder: "N") { options, value in
        // Above 2^53 a reader of the JSON could not tell two seeds apart.
        guard let seed = UInt64(value), seed <= 1 << 53 else {
          return "a whole number from 0 to 9007199254740992"
        }
        options.seed = seed
        return nil
      }
    ),
    Option(
      short: "-f",
      long: "--format",
      summary: "print text or json (default: text)",
      action: .value(placeholder: "FORMAT") { options, value in
        guard let format = Options.Format(rawValue: value) else {
          return Options.Format.allCases.map(\.rawValue).joined(separator: " or ")
        }
        options.format = format
        return nil
      }
    ),
    Option(
      short: "-o",
      long: "--output",
      summary: "also write the full result, as JSON, to FILE",
      action: .value(placeholder: "FILE") { options, value in
        guard !["", "-"].contains(value) else {
          return "the name of a file (standard output: --format json)"
        }
        options.output = value
        return nil
      }
    ),
    Option(
      short: "-h",
      long: "--help",
      summary: Options.Command.help.summary,
      action: .flag { $0.command = .help }
    ),
    Option(
      short: nil,
      long: "--version",
      summary: Options.Command.version.summary,
      action: .flag { $0.command = .version }
    ),
  ]
}
