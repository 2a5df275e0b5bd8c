private import FoundationEssentials
import LoopbenchKit

/// Settings out of a file: a JSON object whose keys are the long options.
package struct Configuration: Sendable {
  private let path: String
  /// Whether the command line names the file. Otherwise it is untrusted: it came with
  /// the folder, and may neither write files nor run commands.
  private let isNamed: Bool
  private let values: [String: Value]

  /// In bytes: what somebody writes by hand.
  private static let limit = 1 << 20

  /// The name it has unless told otherwise.
  package static let standardPath = "loopbench.json"

  /// What may stand in a file: all options of a command that measures or reads,
  /// less those that only make sense once.
  static let options = Option.table.filter { option in
    let once = ["--config", "--help", "--version", "--dry-run", "--json"]
    return !once.contains(option.long)
  }

  /// Reads `path`. Without one, `nil` unless the usual file is there.
  package static func read(_ path: String?) throws(ConfigurationError) -> Configuration? {
    let data: Data
    do {
      data = try InputFile.read(path ?? standardPath, limit: limit, onlyRegular: path == nil)
    } catch .notRegular where path == nil {
      throw ConfigurationError(
        standardPath,
        "it is not a regular file; remove it, or name a file of options with -C"
      )
    } catch .tooLarge {
      throw ConfigurationError(path ?? standardPath, "it has more than 1 MB: it holds no options")
    } catch {
      guard let path else { return nil }
      throw ConfigurationError(path, "it cannot be read")
    }
    return try Configuration(Array(data), path: path ?? standardPath, isNamed: path != nil)
  }

  /// The settings in `bytes`, which came from `path`.
  ///
  /// - Parameter isNamed: Whether the command line names the file.
  package init(_ bytes: [UInt8], path: String, isNamed: Bool = true) throws(ConfigurationError) {
    self.path = path
    self.isNamed = isNamed
    do {
      values = try JSONDecoder().decode([String: Value].self, from: Data(bytes))
    } catch {
      if Self.isReport(bytes) {
        throw ConfigurationError(
          path,
          "it is a report, not options; move it, or name a file of options with -C"
        )
      }
      throw ConfigurationError(
        path,
        "it is no JSON object of options, such as {\"rounds\": 12, \"peers\": [\"lt\", \"uv\"]}"
      )
    }
    for key in values.keys.sorted() where !Self.options.contains(where: { $0.key == key }) {
      let suggestion = Suggestion.nearest(to: key, in: Self.options.map(\.key))
      throw ConfigurationError(
        path,
        "there is no option \"\(key)\"" + Suggestion.question(suggestion)
      )
    }
  }

  private static func isReport(_ bytes: [UInt8]) -> Bool {
    struct Head: Decodable { let schema: String }
    // try?: whatever else it is, is said by the caller.
    let head = try? JSONDecoder().decode(Head.self, from: Data(bytes))
    return head?.schema.hasPrefix("loopbench") == true
  }

  /// Applies what the command takes, but for what the command line says.
  package func apply(
    to options: inout Options,
    except given: Set<String>
  ) throws(ConfigurationError) {
    for option in Option.of(options.command) where !given.contains(option.key) {
      guard let value = values[option.key] else { continue }
      if !isNamed, option.writesFile { throw refusal(of: option, "writes a file") }
      try apply(value, of: option, to: &options)
      guard !isNamed else { continue }
      if option.key == "baseline" { options.isBaselineTrusted = false }
      if option.key == "load", case .command = options.load {
        throw refusal(of: option, "runs a command")
      }
    }
  }

  private func refusal(of option: Option, _ effect: String) -> ConfigurationError {
    ConfigurationError(
      path,
      "\"\(option.key)\" \(effect), which is allowed only on the command line and in a file that -C"
        + " names; use \(option.long), or -C \(path)"
    )
  }

  private func apply(
    _ value: Value,
    of option: Option,
    to options: inout Options
  ) throws(ConfigurationError) {
    switch (option.action, value) {
    case (.flag(let apply), .truth(let isOn)):
      guard isOn else { return }
      apply(&options)
      options.note(option, nil)
    case (.flag, _): throw ConfigurationError(path, "\(option.key) needs true or false")
    case (.value(_, let apply), _):
      for text in value.texts(joined: !option.isRepeatable) {
        if let expected = apply(&options, text) {
          throw ConfigurationError(path, "\(option.key) needs \(expected), got \"\(text)\"")
        }
        options.note(option, text)
      }
    }
  }
}

extension Option {
  /// Whether it has a file written.
  package var writesFile: Bool { ["--output", "--export", "--plot"].contains(long) }

  /// Whether each value is one more, not another.
  package var isRepeatable: Bool {
    ["--export", "--fail", "--label", "--no-warn"].contains(long)
  }
}

extension Configuration {
  /// A value in the file, as somebody would write it.
  private enum Value: Decodable {
    case truth(Bool)
    case number(Double)
    case text(String)
    case list([String])
    case pairs([String: String])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let truth = try? container.decode(Bool.self) {  // try?: the next shape is tried
        self = .truth(truth)
      } else if let number = try? container.decode(Double.self) {  // try?: the same
        self = .number(number)
      } else if let text = try? container.decode(String.self) {  // try?: the same
        self = .text(text)
      } else if let list = try? container.decode([String].self) {  // try?: the same
        self = .list(list)
      } else {
        self = .pairs(try container.decode([String: String].self))
      }
    }

    /// As they would stand on a command line.
    func texts(joined: Bool) -> [String] {
      switch self {
      case .truth(let truth): [String(truth)]
      case .number(let number): [Int(exactly: number).map(String.init) ?? String(number)]
      case .text(let text): [text]
      case .list(let list): joined ? [list.joined(separator: ",")] : list
      case .pairs(let pairs): pairs.keys.sorted().map { "\($0)=\(pairs[$0] ?? "")" }
      }
    }
  }
}

/// A configuration file that means nothing.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  package let description: String

  init(_ path: String, _ reason: String) {
    description = "\(path): \(reason)"
  }
}
