private import FoundationEssentials
package import LoopbenchKit

/// Options from a file: a JSON object whose keys are the long options.
package struct Configuration: Sendable {
  private let path: String
  /// Whether the command line names the file. A file that it does not name may have come
  /// with the folder. Such a file is not trusted, so it must not write files or run
  /// commands.
  private let isNamed: Bool
  private let values: [String: Value]

  /// The maximum size in bytes. Not measured.
  private static let limit = 1 << 20

  /// The default file.
  package static let standardPath = "loopbench.json"

  /// The options that a configuration file may contain.
  static let options = Option.table.filter { option in
    !["--config", "--help", "--version", "--dry-run", "--json"].contains(option.long)
  }

  /// Reads the file at `path`. If `path` is nil, reads the default file, or returns nil
  /// if that file does not exist.
  package static func read(_ path: String?) throws(LoopbenchError) -> Configuration? {
    let data: Data
    let name = path ?? standardPath
    do {
      data = try InputFile.read(name, limit: limit, onlyRegular: path == nil)
    } catch .notRegular where path == nil {
      throw .usage(
        "\(name): it is not a regular file; remove it, or name a file of options with -C"
      )
    } catch .tooLarge {
      throw .usage("\(name): it is larger than 1 MB, so it is not a file of options")
    } catch {
      guard path != nil else { return nil }
      throw .usage("\(name): it cannot be read")
    }
    return try Configuration(Array(data), path: name, isNamed: path != nil)
  }

  /// Decodes the options in `bytes`, which were read from `path`.
  ///
  /// - Parameter isNamed: Whether the command line names the file.
  package init(_ bytes: [UInt8], path: String, isNamed: Bool = true) throws(LoopbenchError) {
    self.path = path
    self.isNamed = isNamed
    do {
      values = try JSONDecoder().decode([String: Value].self, from: Data(bytes))
    } catch {
      let isReport = ReportFile.schema(of: Data(bytes))?.hasPrefix("loopbench") == true
      throw .usage(
        isReport
          ? "\(path): it is a report, not options; move it, or name a file of options with -C"
          : "\(path): it is not a JSON object of options, such as"
            + " {\"rounds\": 12, \"peers\": [\"lt\", \"uv\"]}"
      )
    }
    let known = Self.options.map(\.key)
    if let key = values.keys.sorted().first(where: { !known.contains($0) }) {
      throw .usage("\(path): " + LoopbenchError.unknown("option", key, among: known).description)
    }
  }

  /// Applies the options that the command accepts, except those that are also `given` on
  /// the command line.
  package func apply(
    to options: inout Options,
    except given: Set<String>
  ) throws(LoopbenchError) {
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

  private func refusal(of option: Option, _ effect: String) -> LoopbenchError {
    .usage(
      "\(path): \"\(option.key)\" \(effect), which is allowed only on the command line and in a file"
        + " that -C names; use \(option.long), or -C \(path)"
    )
  }

  private func apply(
    _ value: Value,
    of option: Option,
    to options: inout Options
  ) throws(LoopbenchError) {
    var texts = option.isRepeatable ? value.texts : [value.texts.joined(separator: ",")]
    if case .flag = option.action {
      guard let isOn = value.flag else {
        throw .usage("\(path): \(option.key) needs true or false")
      }
      texts = isOn ? [""] : []
    }
    for text in texts {
      if let expected = option.apply(text, to: &options) {
        throw .badValue(of: "\(path): \(option.key)", text, expected: expected)
      }
    }
  }
}

extension Option {
  /// Whether the option writes a file.
  package var writesFile: Bool { ["--output", "--export", "--plot"].contains(long) }

  /// Whether a second value of the option is added to the first instead of
  /// replacing it.
  package var isRepeatable: Bool {
    ["--export", "--fail", "--label"].contains(long)
  }
}

extension Configuration {
  /// The value of a key: a boolean, a number, a string, an array of strings or an
  /// object of strings.
  private struct Value: Decodable {
    var flag: Bool?
    /// The values, written as on a command line.
    var texts: [String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {  // try?: the next branch tries another type
        (self.flag, texts) = (flag, [String(flag)])
      } else if let number = try? container.decode(Double.self) {  // try?: the same
        texts = [Decimals.exact(number)]
      } else if let text = try? container.decode(String.self) {  // try?: the same
        texts = [text]
      } else if let list = try? container.decode([String].self) {  // try?: the same
        texts = list
      } else {
        let pairs = try container.decode([String: String].self)
        texts = pairs.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      }
    }
  }
}
