private import FoundationEssentials

/// A recorded load: who handed what to a loop, when, and what it cost.
///
/// Made from a text that `docs/replay-format.md` describes:
///
/// ```swift
/// let replay = try Replay.parse("loopreplay 1\n0 1 document layout 250\n")
/// let registry = Registry.replay(replay)
/// ```
package struct Replay: Equatable, Sendable {
  /// One commit of the load.
  package struct Entry: Equatable, Sendable {
    /// When it was made, in us since the load began.
    package let time: Int
    /// Who made it: 0 is the loop's own thread, others have a thread each.
    package let producer: Int
    /// Which of `Replay.actions` it asks for.
    package let action: Int
    /// How long performing it takes, in us.
    package let cost: Int
  }

  /// What can be committed: a target and a selector.
  package struct Action: Hashable, Sendable {
    /// The target's name.
    package let target: String
    /// The selector's name.
    package let selector: String
  }

  /// In the order of their times.
  package let entries: [Entry]
  /// Every pair of target and selector, once.
  package let actions: [Action]

  /// The producers' numbers, ascending.
  package var producers: [Int] { Set(entries.map(\.producer)).sorted() }

  /// When the last commit was made, in us since the load began.
  package var duration: Int { entries.last?.time ?? 0 }

  /// What performing every commit by itself would take, in us.
  package var cost: Int { entries.reduce(0) { $0 + $1.cost } }
}

extension Replay {
  /// What a recorded load may have at most, so that playing it ends.
  package enum Limit {
    package static let bytes = 16 << 20
    package static let lineBytes = 256
    package static let entries = 200_000
    package static let actions = 10_000
    package static let producer = 15
    package static let word = 64
    /// Ten minutes, in us.
    package static let time = 600_000_000
    /// A second, in us.
    package static let cost = 1_000_000
  }

  package static let fields = "\"T_us producer target selector cost_us\""

  /// Reads a recorded load from its text.
  ///
  /// - Throws: `LoopbenchError`, which names the line and says what is expected.
  package static func parse(_ text: String) throws(LoopbenchError) -> Replay {
    try ReplayParser.parse(text)
  }

  /// Reads the recorded load in the file at `path`.
  ///
  /// - Throws: `LoopbenchError`, which says what is wrong with the file or the line.
  package static func read(_ path: String) throws(LoopbenchError) -> Replay {
    let data: Data
    do { data = try InputFile.read(path, limit: Limit.bytes) } catch {
      throw error == .tooLarge
        ? .failed("it has more than \(Limit.bytes) bytes")
        : .failed("it cannot be read; name a file that docs/replay-format.md describes")
    }
    return try parse(String(decoding: data, as: UTF8.self))
  }
}

/// Reads the lines of a recorded load.
struct ReplayParser {
  private var entries: [Replay.Entry] = []
  private var actions: [Replay.Action] = []
  private var numbers: [Replay.Action: Int] = [:]
  private var line = 0

  private static let header = "loopreplay 1"

  /// - Parameter text: Lines end with a newline, with or without a return.
  static func parse(_ text: String) throws(LoopbenchError) -> Replay {
    guard text.utf8.count <= Replay.Limit.bytes else {
      throw .failed("it has more than \(Replay.Limit.bytes) bytes")
    }
    var parser = ReplayParser()
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for line in lines { try parser.read(line) }
    guard parser.line > 0, !parser.entries.isEmpty else {
      throw .failed("it has no commit: expected lines of \(Replay.fields) after the header")
    }
    return Replay(entries: parser.entries, actions: parser.actions)
  }

  private mutating func read(_ bytes: Substring.UTF8View) throws(LoopbenchError) {
    line += 1
    guard bytes.count <= Replay.Limit.lineBytes else {
      throw error("it is longer than \(Replay.Limit.lineBytes) bytes")
    }
    // What is no UTF-8 becomes a character that no field may have.
    var text = String(decoding: bytes, as: UTF8.self)
    if text.utf8.last == UInt8(ascii: "\r") { text.unicodeScalars.removeLast() }
    if line == 1 {
      guard text == Self.header else { throw error("expected \"\(Self.header)\"") }
    } else if !text.hasPrefix("#") {
      let fields = text.split { $0 == " " || $0 == "\t" }.map(String.init)
      if !fields.isEmpty { try add(fields) }
    }
  }

  private func error(_ message: String) -> LoopbenchError { .failed("line \(line): \(message)") }
}

extension ReplayParser {
  private mutating func add(_ fields: [String]) throws(LoopbenchError) {
    guard fields.count == 5 else {
      throw error("expected 5 fields, \(Replay.fields), got \(fields.count)")
    }
    guard entries.count < Replay.Limit.entries else {
      throw error("there are more than \(Replay.Limit.entries) commits")
    }
    let entry = Replay.Entry(
      time: try number(fields[0], "the time", to: Replay.Limit.time),
      producer: try number(fields[1], "the producer", to: Replay.Limit.producer),
      action: try action(target: fields[2], selector: fields[3]),
      cost: try number(fields[4], "the cost", to: Replay.Limit.cost)
    )
    if let last = entries.last, entry.time < last.time {
      throw error("times must not go back: \(entry.time) follows \(last.time)")
    }
    entries.append(entry)
  }

  private func number(
    _ field: String,
    _ name: String,
    to limit: Int
  ) throws(LoopbenchError) -> Int {
    // `Int` would take a sign.
    let isDigits = field.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isDigits, let value = Int(field), value <= limit else {
      throw error("\(name) must be a whole number from 0 to \(limit), got \"\(field)\"")
    }
    return value
  }

  private mutating func action(
    target: String,
    selector: String
  ) throws(LoopbenchError) -> Int {
    let action = Replay.Action(
      target: try word(target, "the target"),
      selector: try word(selector, "the selector")
    )
    if let number = numbers[action] { return number }
    guard actions.count < Replay.Limit.actions else {
      throw error("there are more than \(Replay.Limit.actions) pairs of target and selector")
    }
    numbers[action] = actions.count
    actions.append(action)
    return actions.count - 1
  }

  private func word(_ field: String, _ name: String) throws(LoopbenchError) -> String {
    let isWord = field.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || "0123456789_.:-".unicodeScalars.contains($0))
    }
    guard isWord, field.utf8.count <= Replay.Limit.word else {
      throw error(
        "\(name) must be up to \(Replay.Limit.word) letters, digits, \"_\", \".\", \":\" or \"-\","
          + " got \"\(field)\""
      )
    }
    return field
  }
}
