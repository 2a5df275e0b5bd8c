/// A colour, in sRGB, each part from 0 to 1, not premultiplied.
public struct Color: Hashable, Sendable {
  /// How red.
  public var red: Double
  /// How green.
  public var green: Double
  /// How blue.
  public var blue: Double
  /// How opaque.
  public var alpha: Double

  /// The colour of these parts.
  public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// A grey, from black at 0 to white at 1.
  public init(white: Double, alpha: Double = 1) {
    self.init(red: white, green: white, blue: white, alpha: alpha)
  }

  /// Black.
  public static let black = Color(white: 0)
  /// White.
  public static let white = Color(white: 1)
  /// Nothing at all.
  public static let clear = Color(white: 0, alpha: 0)

  /// The same colour, so opaque.
  public func withAlpha(_ alpha: Double) -> Color {
    Color(red: red, green: green, blue: blue, alpha: alpha)
  }
}
