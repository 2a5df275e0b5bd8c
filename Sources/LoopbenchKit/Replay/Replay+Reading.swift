private import FoundationEssentials

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
  /// - Throws: `ReplayError`, which names the line and says what is expected.
  public static func parse(_ text: String) throws(ReplayError) -> Replay {
    try ReplayParser.parse(text)
  }

  /// Reads the recorded load in the file at `path`.
  ///
  /// - Throws: `ReplayError`, which says what is wrong with the file or the line.
  public static func read(_ path: String) throws(ReplayError) -> Replay {
    let data: Data
    do { data = try InputFile.read(path, limit: Limit.bytes) } catch {
      throw error == .tooLarge
        ? ReplayError("it has more than \(Limit.bytes) bytes")
        : ReplayError("it can not be read; name a file that docs/replay-format.md describes")
    }
    return try parse(String(decoding: data, as: UTF8.self))
  }
}
