/// A font.
public struct Font: Hashable, Sendable {
  /// The names of font families, separated by commas, in order of preference.
  /// Characters that none of them contains use other fonts of the system. Only
  /// the first 256 bytes count.
  public var family: String
  /// The font size in points, from 0.1 to 4,000.
  public var size: Double
  /// The weight, from 100 to 1,000; 400 is regular, 700 is bold.
  public var weight: Int
  /// Whether the font is italic.
  public var isItalic: Bool

  // Clamped to the valid range; 0.1 if not finite.
  var usableSize: Double { size.isFinite ? min(max(size, 0.1), 4000) : 0.1 }

  // fontconfig compares every family name with every installed font.
  var usableFamily: String {
    guard family.utf8.count > 256 else { return family }
    let names = family.utf8.prefix(256).split(separator: UInt8(ascii: ","))
    // The last of several names may be truncated.
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
