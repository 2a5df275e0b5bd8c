/// Reads the lines of a recorded load.
struct ReplayParser {
  private var entries: [Replay.Entry] = []
  private var actions: [Replay.Action] = []
  private var numbers: [Replay.Action: Int] = [:]
  private var line = 0

  private static let header = "loopreplay 1"

  /// - Parameter text: Lines end with a newline, with or without a return.
  static func parse(_ text: String) throws(ReplayError) -> Replay {
    guard text.utf8.count <= Replay.Limit.bytes else {
      throw ReplayError("it has more than \(Replay.Limit.bytes) bytes")
    }
    var parser = ReplayParser()
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for line in lines { try parser.read(line) }
    guard parser.line > 0, !parser.entries.isEmpty else {
      throw ReplayError("it has no commit: expected lines of \(Replay.fields) after the header")
    }
    return Replay(entries: parser.entries, actions: parser.actions)
  }

  private mutating func read(_ bytes: Substring.UTF8View) throws(ReplayError) {
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

  private func error(_ message: String) -> ReplayError { ReplayError(line: line, message) }
}

extension ReplayParser {
  private mutating func add(_ fields: [String]) throws(ReplayError) {
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
  ) throws(ReplayError) -> Int {
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
  ) throws(ReplayError) -> Int {
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

  private func word(_ field: String, _ name: String) throws(ReplayError) -> String {
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
