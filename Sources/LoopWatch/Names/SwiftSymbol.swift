/// A demangled symbol of Swift without types and compiler artifacts.
package enum SwiftSymbol {
  /// `Store.Cart.load` for `generic specialization <Swift.Int> of Store.Cart.(load in
  /// _92C2)(Swift.Int) throws -> A`.
  package static func simplified(_ name: String) -> String {
    simplified(name[...], depth: 0)
  }

  private static func simplified(_ name: Substring, depth: Int) -> String {
    // A name is never nested this deeply, and the loop must end.
    guard depth < 20 else { return String(name) }
    for prefix in prefixes where name.hasPrefix(prefix) {
      return simplified(name.dropFirst(prefix.count), depth: depth + 1)
    }
    // `(1) await resume partial function for f()`: a part of an async function.
    if name.hasPrefix("("), let end = name.firstRange(of: " resume partial function for ") {
      return simplified(name[end.upperBound...], depth: depth + 1)
    }
    for prefix in wrappers where name.hasPrefix(prefix) {
      // A list in these brackets may lack its closing bracket.
      guard let end = range(of: " of ", in: name, outside: "<") else { break }
      return simplified(name[end.upperBound...], depth: depth + 1)
    }
    if name.hasPrefix("closure #") || name.hasPrefix("implicit closure #"),
      let end = range(of: " in ", in: name, outside: "<([")
    {
      let words = name.split(separator: " ")
      let count = words[0] == "implicit" ? 3 : 2
      let outer = simplified(name[end.upperBound...], depth: depth + 1)
      return words.prefix(count).joined(separator: " ") + " in " + outer
    }
    return path(name)
  }

  private static let prefixes = [
    "merged ", "partial apply forwarder for ", "partial apply for ", "@objc ", "@nonobjc ",
    "static ", "dispatch thunk of ", "protocol witness for ", "reabstraction thunk for ",
  ]
  private static let wrappers = [
    "generic specialization <", "generic not re-abstracted specialization <",
    "function signature specialization <", "generic partial specialization <",
  ]

  /// The part before the types of parameters, without generic arguments.
  private static func path(_ name: Substring) -> String {
    var text = ""
    var rest = name
    if rest.hasPrefix("(extension in "), let end = rest.firstIndex(of: ":") {
      rest = rest[end...].dropFirst()
    }
    while let character = rest.first {
      switch character {
      case "<":
        rest = afterBrackets(rest, "<([")
      case "(":
        guard let (own, after) = privateName(rest) else { return text }
        text += own
        rest = after
      case " ":
        // Other words belong to an artifact, such as `type metadata accessor for Cart`.
        return rest.hasPrefix(" : ") || rest.hasPrefix(" -> ") ? text : String(name)
      default:
        text.append(character)
        rest.removeFirst()
      }
    }
    return text
  }

  /// `load` and the rest for `(load in _92C2)(Swift.Int)`.
  private static func privateName(_ text: Substring) -> (String, Substring)? {
    guard
      let end = text.firstIndex(of: ")"),
      let mark = text.firstRange(of: " in _"), mark.lowerBound < end
    else { return nil }
    return (String(text[..<mark.lowerBound].dropFirst()), text[end...].dropFirst())
  }

  /// The first place of `word` outside of the given brackets.
  private static func range(
    of word: String,
    in text: Substring,
    outside brackets: String
  ) -> Range<Substring.Index>? {
    var rest = text
    while let character = rest.first {
      if rest.hasPrefix(word) {
        return rest.startIndex..<rest.index(rest.startIndex, offsetBy: word.count)
      }
      if brackets.contains(character) {
        rest = afterBrackets(rest, brackets)
      } else {
        rest.removeFirst()
      }
    }
    return nil
  }

  private static let pairs: [Character: Character] = [">": "<", ")": "(", "]": "["]

  /// The text after the bracket that closes the first character. An arrow is no bracket.
  private static func afterBrackets(_ text: Substring, _ brackets: String) -> Substring {
    var depth = 0
    var rest = text
    var previous: Character = " "
    while let character = rest.popFirst() {
      let isArrow = character == ">" && previous == "-"
      if brackets.contains(character) { depth += 1 }
      if let opening = pairs[character], brackets.contains(opening), !isArrow { depth -= 1 }
      if depth == 0 { return rest }
      previous = character
    }
    return rest
  }
}
