/// The path in a symbol of Rust, without type parameters:
/// `std::thread::functions::sleep`.
package enum RustSymbol {
  /// The path of a symbol in the mangling that rustc uses by default since 2025, which
  /// begins with `_R`. Nil for another symbol.
  package static func path(of symbol: String) -> String? {
    guard symbol.hasPrefix("_R") else { return nil }
    var parser = RustPathParser(Array(symbol.utf8.dropFirst(2)))
    return parser.path()
  }

  /// A path in the older mangling, after C++ demangling: replaces `$LT$` by `<`, and so
  /// on. Other names are returned as they are.
  package static func unescaped(_ name: String) -> String {
    guard escapes.contains(where: { name.contains($0.0) }) else { return name }
    var text = name.replacing("..", with: "::")
    for (escape, character) in escapes { text = text.replacing(escape, with: character) }
    // An escape at the start of a part follows an underscore.
    return text.replacing("::_{", with: "::{").replacing("::_<", with: "::<")
  }

  private static let escapes = [
    ("$LT$", "<"), ("$GT$", ">"), ("$LP$", "("), ("$RP$", ")"), ("$RF$", "&"), ("$BP$", "*"),
    ("$C$", ","), ("$SP$", "@"), ("$u20$", " "), ("$u27$", "'"), ("$u5b$", "["), ("$u5d$", "]"),
    ("$u7b$", "{"), ("$u7d$", "}"), ("$u7e$", "~"),
  ]
}

/// Reads the paths of a mangled symbol, and skips its types and constants. See the
/// Rust RFC 2603.
private struct RustPathParser {
  private let bytes: [UInt8]
  private var position = 0
  /// The number of nested parts, which is bounded because a symbol may refer to itself.
  private var depth = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func path() -> String? {
    depth += 1
    defer { depth -= 1 }
    guard depth < 100, let tag = next() else { return nil }
    switch tag {
    case UInt8(ascii: "C"): return crate()
    case UInt8(ascii: "N"): return nested()
    case UInt8(ascii: "M"): return skipImplementation() ? typeName() : nil
    case UInt8(ascii: "X"):
      guard skipImplementation(), let type = typeName(), path() != nil else { return nil }
      return type
    case UInt8(ascii: "Y"):
      guard let type = typeName(), path() != nil else { return nil }
      return type
    case UInt8(ascii: "I"): return generic()
    case UInt8(ascii: "B"): return backReference { $0.path() }
    default: return nil
    }
  }

  private mutating func crate() -> String? {
    skipDisambiguator()
    return identifier()
  }

  private mutating func nested() -> String? {
    guard let kind = next(), let outer = path() else { return nil }
    skipDisambiguator()
    guard let name = identifier() else { return nil }
    switch kind {
    case UInt8(ascii: "C"): return outer + "::{closure}"
    case UInt8(ascii: "S"): return outer + "::{shim}"
    default: return name.isEmpty ? outer : outer + "::" + name
    }
  }

  private mutating func skipImplementation() -> Bool {
    skipDisambiguator()
    return path() != nil
  }

  private mutating func generic() -> String? {
    guard let name = path() else { return nil }
    while !skip("E") {
      if skip("L") {
        guard number() != nil else { return nil }
      } else if skip("K") {
        guard skipConstant() else { return nil }
      } else if typeName() == nil {
        return nil
      }
    }
    return name
  }
}

// MARK: Types

extension RustPathParser {
  /// The name of a type that has a path, `_` for another.
  private mutating func typeName() -> String? {
    depth += 1
    defer { depth -= 1 }
    guard depth < 100, let tag = peek() else { return nil }
    if let name = Self.basic[tag] {
      position += 1
      return name
    }
    if "CNMXYI".utf8.contains(tag) { return path() }
    position += 1
    return typeName(tag)
  }

  private mutating func typeName(_ tag: UInt8) -> String? {
    switch tag {
    case UInt8(ascii: "B"): return backReference { $0.typeName() }
    case UInt8(ascii: "R"), UInt8(ascii: "Q"):
      if skip("L"), number() == nil { return nil }
      return typeName()
    case UInt8(ascii: "P"), UInt8(ascii: "O"), UInt8(ascii: "S"): return typeName()
    case UInt8(ascii: "A"): return typeName().flatMap { skipConstant() ? $0 : nil }
    case UInt8(ascii: "T"): return skipTypes() ? "_" : nil
    case UInt8(ascii: "F"): return skipFunction() ? "_" : nil
    case UInt8(ascii: "D"): return skipDynamic() ? "_" : nil
    default: return nil
    }
  }

  private mutating func skipTypes() -> Bool {
    while !skip("E") {
      guard typeName() != nil else { return false }
    }
    return true
  }

  private mutating func skipFunction() -> Bool {
    if skip("G"), number() == nil { return false }
    _ = skip("U")
    if skip("K"), !skip("C"), identifier() == nil { return false }
    return skipTypes() && typeName() != nil
  }

  private mutating func skipDynamic() -> Bool {
    if skip("G"), number() == nil { return false }
    while !skip("E") {
      guard path() != nil else { return false }
      while skip("p") {
        guard identifier() != nil, typeName() != nil else { return false }
      }
    }
    return skip("L") && number() != nil
  }

  private mutating func skipConstant() -> Bool {
    if skip("p") { return true }
    if skip("B") { return backReference { $0.skipConstant() ? "" : nil } != nil }
    guard let type = peek(), Self.basic[type] != nil else { return false }
    position += 1
    _ = skip("n")
    while let byte = next() {
      if byte == UInt8(ascii: "_") { return true }
    }
    return false
  }

  private static let basic: [UInt8: String] = [
    "a": "i8", "b": "bool", "c": "char", "d": "f64", "e": "str", "f": "f32", "h": "u8",
    "i": "isize", "j": "usize", "l": "i32", "m": "u32", "n": "i128", "o": "u128", "p": "_",
    "s": "i16", "t": "u16", "u": "()", "v": "...", "x": "i64", "y": "u64", "z": "!",
  ].reduce(into: [:]) { $0[$1.key.utf8.first ?? 0] = $1.value }
}

// MARK: Letters

extension RustPathParser {
  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func next() -> UInt8? {
    defer { position += 1 }
    return peek()
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard peek() == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipDisambiguator() {
    if skip("s") { _ = number() }
  }

  /// A number of base 62, which ends at an underscore. The hash of a crate may be too
  /// large for an `Int`, and is not needed.
  private mutating func number() -> Int? {
    if skip("_") { return 0 }
    var value = 0
    while let byte = next() {
      if byte == UInt8(ascii: "_") { return value &+ 1 }
      guard let digit = Self.digit(byte) else { return nil }
      value = value &* 62 &+ digit
    }
    return nil
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte - UInt8(ascii: "A")) + 36
    default: nil
    }
  }

  private mutating func identifier() -> String? {
    // Names that are not ASCII remain encoded.
    _ = skip("u")
    var length = 0
    while let byte = peek(), let digit = Self.digit(byte), digit < 10, length < 1 << 20 {
      length = length * 10 + digit
      position += 1
      if length == 0 { break }
    }
    if length > 0 { _ = skip("_") }
    guard position + length <= bytes.count else { return nil }
    defer { position += length }
    return String(decoding: bytes[position..<(position + length)], as: UTF8.self)
  }

  private mutating func backReference(_ read: (inout RustPathParser) -> String?) -> String? {
    guard let target = number(), target >= 0, target < position else { return nil }
    let after = position
    position = target
    defer { position = after }
    return read(&self)
  }
}
