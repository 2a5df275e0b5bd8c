import Foundation

/// The words that a note must contain, in upper or lower case.
package struct Query: Sendable, Equatable {
  package let words: [String]

  package init(_ text: String) {
    words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Whether all notes match.
  package var isEmpty: Bool { words.isEmpty }

  package func matches(_ note: Note) -> Bool { matches(note.folded) }

  /// - Parameter folded: A text in lower case.
  func matches(_ folded: String) -> Bool { words.allSatisfy { Self.contains(folded, $0) } }

  /// Compares bytes, because comparing characters takes many times as long.
  private static func contains(_ text: String, _ word: String) -> Bool {
    var (text, word) = (text, word)
    return text.withUTF8 { text in word.withUTF8 { find($0, in: text) } }
  }

  private static func find(
    _ word: UnsafeBufferPointer<UInt8>,
    in text: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard let wanted = word.baseAddress, let start = text.baseAddress else { return false }
    var position = 0
    while position + word.count <= text.count {
      let rest = text.count - word.count - position + 1
      guard let first = memchr(start + position, Int32(wanted[0]), rest) else { return false }
      if memcmp(first, wanted, word.count) == 0 { return true }
      position = UnsafeRawPointer(start).distance(to: first) + 1
    }
    return false
  }
}
