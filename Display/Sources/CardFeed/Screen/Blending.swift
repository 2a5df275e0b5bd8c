/// Arithmetic of premultiplied pixels, `0xAARRGGBB`.
enum Blending {
  /// Returns `pixel` with all channels multiplied by `alpha` / 255.
  @inline(__always)
  static func scaled(_ pixel: UInt32, by alpha: UInt32) -> UInt32 {
    let even = rounded((pixel & 0x00FF_00FF) &* alpha)
    let odd = rounded(((pixel >> 8) & 0x00FF_00FF) &* alpha)
    return even | (odd << 8)
  }

  /// Returns `source` over `target`.
  @inline(__always)
  static func over(_ source: UInt32, _ target: UInt32) -> UInt32 {
    source &+ scaled(target, by: 255 &- (source >> 24))
  }

  // Divides both 16-bit halves by 255, rounding to the nearest value. Exact for
  // products of two bytes.
  @inline(__always)
  private static func rounded(_ products: UInt32) -> UInt32 {
    let sum = products &+ 0x0080_0080
    return ((sum &+ ((sum >> 8) & 0x00FF_00FF)) >> 8) & 0x00FF_00FF
  }
}
