/// A font.
public struct Font: Hashable, Sendable {
  /// The names of font families, separated by commas, in order of preference.
  /// Characters that none of these families contains are drawn with other fonts
  /// of the system. Only the first 256 bytes count.
  public var family: String
  /// The font size in points, from 0.1 to 4,000.
  public var size: Double
  /// The weight, from 100 to 1,000. Regular is 400, and bold is 700.
  public var weight: Int
  /// Whether the font is italic.
  public var isItalic: Bool

  // The size clamped to the valid range, or 0.1 if the size is not finite.
  var usableSize: Double { size.isFinite ? min(max(size, 0.1), 4000) : 0.1 }

  // The family names are limited to 256 bytes, because fontconfig compares
  // every name with every installed font.
  var usableFamily: String {
    guard family.utf8.count > 256 else { return family }
    let names = family.utf8.prefix(256).split(separator: UInt8(ascii: ","))
    // The limit may have cut off the last name, so it is dropped if there are
    // several names.
    let whole = names.count > 1 ? names.dropLast() : names[...]
    return whole.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
  }

  /// Creates a font.
  public init(_ family: String, size: Double, weight: Int = 400, isItalic: Bool = false) {
    self.family = family
    self.size = size
    self.weight = weight
    self.isItalic = isItalic
  }
}
