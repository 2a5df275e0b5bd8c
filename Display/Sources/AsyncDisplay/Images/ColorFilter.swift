/// Changes the saturation of an image and draws a colour over it.
///
/// The filter uses integer arithmetic and processes eight pixels at a time.
struct ColorFilter {
  private typealias Lanes = SIMD8<Int32>

  /// Fixed-point 1.0.
  private static let one: Int32 = 4096

  // The contributions of blue, green and red to each component of the result.
  private let toBlue: SIMD4<Int32>
  private let toGreen: SIMD4<Int32>
  private let toRed: SIMD4<Int32>
  // The overlay colour, premultiplied, in the order blue, green, red, alpha.
  private let tint: SIMD4<Int32>
  private let left: Int32

  /// Creates a filter. Grey is computed with the weights of Rec. 709, as in
  /// SVG's `saturate`.
  init(_ saturation: Double, _ tint: Color?) {
    // Above 64 every component would be clamped anyway, and 32 bits would
    // overflow.
    let saturation = saturation.isNaN ? 1 : min(max(saturation, 0), 64)
    func row(_ blue: Double, _ green: Double, _ red: Double) -> SIMD4<Int32> {
      let one = Double(Self.one)
      let grey = SIMD4(0.0722, 0.7152, 0.2126, 0) * (1 - saturation)
      let sum = (grey + SIMD4(blue, green, red, 0) * saturation) * one
      return SIMD4<Int32>(sum.rounded(.toNearestOrAwayFromZero))
    }
    (toBlue, toGreen, toRed) = (row(1, 0, 0), row(0, 1, 0), row(0, 0, 1))
    let color = tint ?? .clear
    // Components are clamped before multiplication, because no component may
    // exceed alpha.
    func unit(_ value: Double) -> Double { value.isNaN ? 0 : min(max(value, 0), 1) }
    func part(_ value: Double) -> Int32 { Int32(value * 255 * Double(Self.one)) }
    let alpha = unit(color.alpha)
    self.tint = SIMD4(
      part(unit(color.blue) * alpha),
      part(unit(color.green) * alpha),
      part(unit(color.red) * alpha),
      part(alpha)
    )
    left = Self.one - part(alpha) / 255
  }

  /// Filters `bitmap` in place. It must not be shared yet.
  func apply(to bitmap: Bitmap, _ isCancelled: () -> Bool) throws {
    let memory = UnsafeMutableRawPointer(bitmap.bytes)
    for y in 0..<bitmap.pixels.height {
      if y % BlurFilter.rowsPerPoll == 0, isCancelled() { throw CancellationError() }
      filter(memory + y * bitmap.pixels.stride, bitmap.pixels.width)
    }
  }

  private func filter(_ row: UnsafeMutableRawPointer, _ width: Int) {
    var x = 0
    while x + 8 <= width {
      let pixels = row.loadUnaligned(fromByteOffset: 4 * x, as: SIMD8<UInt32>.self)
      row.storeBytes(of: filtered(pixels), toByteOffset: 4 * x, as: SIMD8<UInt32>.self)
      x += 8
    }
    while x < width {
      let pixel = row.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self)
      let result = filtered(SIMD8(repeating: pixel))[0]
      row.storeBytes(of: result, toByteOffset: 4 * x, as: UInt32.self)
      x += 1
    }
  }

  @inline(__always)
  private func filtered(_ pixels: SIMD8<UInt32>) -> SIMD8<UInt32> {
    let blue = Lanes(truncatingIfNeeded: pixels & 255)
    let green = Lanes(truncatingIfNeeded: (pixels &>> 8) & 255)
    let red = Lanes(truncatingIfNeeded: (pixels &>> 16) & 255)
    let alpha = Lanes(truncatingIfNeeded: pixels &>> 24)
    @inline(__always) func mixed(_ row: SIMD4<Int32>) -> Lanes {
      let sum = blue &* row[0] &+ green &* row[1] &+ red &* row[2]
      let value = (sum &+ Self.one / 2) &>> 12
      // In a premultiplied pixel, no component may exceed alpha. The code uses
      // sign bits, because SIMD masks are computed lane by lane.
      let room = alpha &- value
      let bounded = value &+ (room & (room &>> 31))
      return bounded & ~(bounded &>> 31)
    }
    @inline(__always) func under(_ value: Lanes, _ part: Int32) -> SIMD8<UInt32> {
      SIMD8<UInt32>(truncatingIfNeeded: (value &* left &+ part &+ Self.one / 2) &>> 12)
    }
    return under(mixed(toBlue), tint[0])
      | under(mixed(toGreen), tint[1]) &<< 8
      | under(mixed(toRed), tint[2]) &<< 16
      | under(alpha, tint[3]) &<< 24
  }
}
