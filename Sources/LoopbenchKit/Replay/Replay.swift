private import FoundationEssentials

/// A recorded load: the commits to a loop, with their times, threads and costs.
///
/// `docs/replay-format.md` describes the file format.
///
/// ```swift
/// let replay = try Replay.parse("loopreplay 1\n0 1 document layout 250\n")
/// let registry = Registry.replay(replay)
/// ```
package struct Replay: Equatable, Sendable {
  /// One commit of the load.
  package struct Entry: Equatable, Sendable {
    /// The time of the commit, in us since the load began.
    package let time: Int
    /// The number of the thread that made the commit. 0 is the loop's thread.
    package let producer: Int
    /// The index of the committed action in `Replay.actions`.
    package let action: Int
    /// The time that performing the action takes, in us.
    package let cost: Int
  }

  /// A target and a selector that can be committed.
  package struct Action: Hashable, Sendable {
    /// The target's name.
    package let target: String
    /// The selector's name.
    package let selector: String
  }

  /// The commits, in the order of their times.
  package let entries: [Entry]
  /// The distinct pairs of target and selector.
  package let actions: [Action]

  /// The numbers of the producers, ascending.
  package var producers: [Int] { Set(entries.map(\.producer)).sorted() }

  /// The time of the last commit, in us since the load began.
  package var duration: Int { entries.last?.time ?? 0 }

  /// The time that performing every commit separately takes, in us.
  package var cost: Int { entries.reduce(0) { $0 + $1.cost } }
}

extension Replay {
  /// The limits of a recorded load. They bound the time that playing it takes.
  package enum Limit {
    package static let bytes = 16 << 20
    package static let lineBytes = 256
    package static let entries = 200_000
    package static let actions = 10_000
    package static let producer = 15
    package static let word = 64
    /// 10 minutes, in us.
    package static let time = 600_000_000
    /// 1 second, in us.
    package static let cost = 1_000_000
  }

  package static let fields = "\"T_us producer target selector cost_us\""

  /// Parses a recorded load.
  ///
  /// - Throws: `LoopbenchError` that names the line and the expected text.
  package static func parse(_ text: String) throws(LoopbenchError) -> Replay {
    try ReplayParser(text).replay
  }

  /// Reads the recorded load in the file at `path`.
  ///
  /// - Throws: `LoopbenchError` that describes the fault of the file or the line.
  package static func read(_ path: String) throws(LoopbenchError) -> Replay {
    let data: Data
    do { data = try InputFile.read(path, limit: Limit.bytes) } catch {
      throw error == .tooLarge
        ? .failed("it is larger than \(Limit.bytes) bytes")
        : .failed("it cannot be read; name a file in the format of docs/replay-format.md")
    }
    return try parse(String(decoding: data, as: UTF8.self))
  }
}

/// Parses the lines of a recorded load.
struct ReplayParser {
  private var entries: [Replay.Entry] = []
  private var actions: [Replay.Action] = []
  private var numbers: [Replay.Action: Int] = [:]
  private var line = 0

  private static let header = "loopreplay 1"

  /// - Parameter text: Lines that end with LF or CRLF.
  init(_ text: String) throws(LoopbenchError) {
    guard text.utf8.count <= Replay.Limit.bytes else {
      throw .failed("it is larger than \(Replay.Limit.bytes) bytes")
    }
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for line in lines { try read(line) }
    guard !entries.isEmpty else {
      throw .failed("it contains no commit: expected lines of \(Replay.fields) after the header")
    }
  }

  var replay: Replay { Replay(entries: entries, actions: actions) }

  private mutating func read(_ bytes: Substring.UTF8View) throws(LoopbenchError) {
    line += 1
    guard bytes.count <= Replay.Limit.lineBytes else {
      throw error("the line is longer than \(Replay.Limit.lineBytes) bytes")
    }
    // Invalid UTF-8 becomes a character that is not allowed in any field.
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
      throw error("times must not decrease: \(entry.time) follows \(last.time)")
    }
    entries.append(entry)
  }

  private func number(
    _ field: String,
    _ name: String,
    to limit: Int
  ) throws(LoopbenchError) -> Int {
    // `Int.init` would also accept a sign.
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
