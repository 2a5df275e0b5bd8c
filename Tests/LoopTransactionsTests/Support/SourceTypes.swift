import Foundation

/// The types that Swift sources declare, found by parsing them.
///
/// Relies on the formatting: two columns per level, and declarations on one
/// line.
struct SourceTypes {
  struct Declared: Hashable {
    /// The name with the names of the enclosing types, such as
    /// `AsyncTransaction.Outcome`.
    let name: String
    let isPublic: Bool
    let isProtocol: Bool
  }

  private(set) var declared: Set<Declared> = []
  /// The types with a stored property that Swift's reflection traps on.
  private(set) var trapping: Set<String> = []
  /// The superclasses and protocols that each type names.
  private(set) var inherited: [String: Set<String>] = [:]
  /// The types that cannot be copied for reflection.
  private var noncopyable: Set<String> = []

  /// Reads all Swift files in these folders, which are relative to the
  /// repository.
  init(_ folders: [String]) throws {
    var texts: [String] = []
    for folder in folders {
      let root = Self.repository.appendingPathComponent(folder)
      let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard file.pathExtension == "swift" else { continue }
        texts.append(try String(contentsOf: file, encoding: .utf8))
      }
    }
    for text in texts {
      for match in text.matches(of: /(?:struct|enum) (\w+): [^{\n]*~Copyable/) {
        noncopyable.insert(String(match.output.1))
      }
    }
    for text in texts { read(text) }
  }

  /// Returns true if `type` or one of its ancestors provides its own mirror.
  func isCustom(_ type: String) -> Bool {
    guard let parents = inherited[type] else { return false }
    return !parents.isDisjoint(with: ["CustomReflectable", "Unreflected"])
      || parents.contains(where: isCustom)
  }

  private static var repository: URL {
    (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
  }

  private mutating func read(_ text: String) {
    var outer: [(indent: Int, name: String)] = []
    for line in text.split(separator: "\n") {
      let indent = line.prefix { $0 == " " }.count
      let code = line.dropFirst(indent)
      guard !code.hasPrefix("//"), !code.hasPrefix("}"), !code.isEmpty else { continue }
      outer.removeAll { $0.indent >= indent }
      if let (declaration, isExtension) = Self.declaration(in: code) {
        let name = (outer.map(\.name) + [declaration.name]).joined(separator: ".")
        outer.append((indent, declaration.name))
        inherited[name, default: []].formUnion(Self.parents(in: code))
        guard !isExtension else { continue }
        let found = Declared(
          name: name,
          isPublic: declaration.isPublic,
          isProtocol: declaration.isProtocol
        )
        declared.insert(found)
        // Reflection never reaches a noncopyable value, because no existential
        // holds one.
        if code.contains("~Copyable {") || code.contains(": ~Copyable,") { outer.removeLast() }
      } else if let last = outer.last, indent == last.indent + 2, traps(code) {
        trapping.insert(outer.map(\.name).joined(separator: "."))
      }
    }
  }

  private func traps(_ code: Substring) -> Bool {
    guard !code.contains("static "), code.contains("let ") || code.contains("var ") else {
      return false
    }
    let type = code.split(whereSeparator: { ":=".contains($0) }).dropFirst().first ?? ""
    let path = type.split { " (?<{".contains($0) }.first ?? ""
    let name = path.split(separator: ".").last ?? ""
    return name == "Atomic" || noncopyable.contains(String(name))
      || code.contains("unowned(unsafe)")
  }

  private static func declaration(
    in code: Substring
  ) -> (type: Declared, isExtension: Bool)? {
    let words = code.split(separator: " ")
    let kinds: Set<Substring> = ["class", "struct", "enum", "actor", "protocol", "extension"]
    let modifiers: Set<Substring> = [
      "public", "open", "package", "internal", "private", "fileprivate", "final", "indirect",
    ]
    guard let place = words.firstIndex(where: kinds.contains), place + 1 < words.count,
      words[..<place].allSatisfy({ modifiers.contains($0) || $0.hasPrefix("@") })
    else { return nil }
    let name = words[place + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    let isPublic = words[..<place].contains { $0 == "public" || $0 == "open" }
    let isProtocol = words[place] == "protocol"
    return (
      Declared(name: String(name), isPublic: isPublic, isProtocol: isProtocol),
      words[place] == "extension"
    )
  }

  private static func parents(in code: Substring) -> [String] {
    guard let colon = code.range(of: ">: ") ?? code.range(of: ": ") else { return [] }
    return code[colon.upperBound...].split { " ,{".contains($0) }.map { parent in
      String(parent.prefix { $0 != "<" })
    }
  }
}
