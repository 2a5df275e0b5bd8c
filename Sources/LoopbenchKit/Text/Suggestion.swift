/// Suggests the known word that is most similar to a mistyped word.
package enum Suggestion {
  /// Returns the word in `known` that is most similar to `word`. Nil if every known
  /// word differs in more than a third of the letters.
  package static func nearest(to word: String, in known: [String]) -> String? {
    let measured = known.map { (word: $0, distance: distance(word, $0)) }
    let best = measured.min { $0.distance < $1.distance }
    guard let best, best.distance <= max(1, word.count / 3) else { return nil }
    return best.word
  }

  /// Returns `"; did you mean \"wake\"?"`, or an empty string for nil.
  package static func question(_ suggestion: String?) -> String {
    suggestion.map { "; did you mean \"\($0)\"?" } ?? ""
  }

  /// Returns the question for the word in `known` that is most similar to `word`,
  /// for the end of an error message.
  package static func question(for word: String, in known: [String]) -> String {
    question(nearest(to: word, in: known))
  }

  /// The number of insertions, deletions, replacements and swaps of neighbouring
  /// letters that turn `first` into `second`.
  package static func distance(_ first: String, _ second: String) -> Int {
    let first = Array(first)
    let second = Array(second)
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for row in first.indices {
      var current = [row + 1]
      for column in second.indices {
        let change = last[column] + (first[row] == second[column] ? 0 : 1)
        var best = min(change, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[second.count]
  }
}

extension Sequence where Element: Hashable {
  /// The elements without duplicates, ordered by first occurrence.
  package func uniqued() -> [Element] { uniqued(by: \.self) }
}

extension Sequence {
  /// The elements, without any whose key occurred earlier.
  func uniqued<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
    var seen: Set<Key> = []
    return filter { seen.insert(key($0)).inserted }
  }
}
