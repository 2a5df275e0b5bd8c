/// Which glyphs text is drawn with.
public struct Font: Hashable, Sendable {
  /// Families, the preferred first, divided by commas. What none of them has is taken
  /// from others that the system has. Those beyond the first 256 bytes do not count.
  public var family: String
  /// How high an em is, in points, from 0.1 to 4,000.
  public var size: Double
  /// How heavy, from 100 to 1,000; 400 is regular, 700 bold.
  public var weight: Int
  /// Whether it leans.
  public var isItalic: Bool

  // What is odd is taken for the nearest that is not.
  var usableSize: Double { size.isFinite ? min(max(size, 0.1), 4000) : 0.1 }

  // fontconfig compares every family with every font that there is.
  var usableFamily: String {
    guard family.utf8.count > 256 else { return family }
    let names = family.utf8.prefix(256).split(separator: UInt8(ascii: ","))
    // The last of several may be cut off.
    let whole = names.count > 1 ? names.dropLast() : names[...]
    return whole.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
  }

  /// The font of `family`.
  public init(_ family: String, size: Double, weight: Int = 400, isItalic: Bool = false) {
    self.family = family
    self.size = size
    self.weight = weight
    self.isItalic = isItalic
  }
}
