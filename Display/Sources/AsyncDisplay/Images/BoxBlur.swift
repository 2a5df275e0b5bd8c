/// One pass of a blur. Each pixel becomes the mean of its neighbourhood.
///
/// A running sum adds the pixel that enters the kernel and subtracts the pixel
/// that leaves it, so the cost does not depend on the radius.
struct BoxBlur {
  private let reach: Int
  private let width: Int
  private let height: Int
  private let half: UInt32
  private let factor: UInt32

  /// Creates a pass over `pixels` with an odd `kernel`.
  init(kernel: Int, pixels: PixelSize) {
    require(
      kernel <= BlurFilter.widestKernel && kernel & 1 == 1,
      "BoxBlur: kernel must be odd and at most \(BlurFilter.widestKernel), got \(kernel)"
    )
    reach = kernel / 2
    (width, height) = (pixels.width, pixels.height)
    half = UInt32(kernel / 2)
    // (sum + half) * factor >> 24 is exactly the quotient, rounded to nearest.
    // Sums are at most 255 * kernel, and 255.5 * 255 * 255 < 1 << 24. The
    // product does not overflow, because 255.5 * (1 << 24) plus kernel is below
    // 1 << 32.
    factor = UInt32(((1 << 24) + kernel - 1) / kernel)
  }

  /// Performs all three passes along the rows. Each row gets all passes while
  /// it is in the cache.
  func rows(
    from source: UnsafePointer<UInt8>,
    to target: UnsafeMutablePointer<UInt8>,
    _ isCancelled: () -> Bool
  ) throws {
    let stride = 4 * width
    let lines = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * stride)
    defer { lines.deallocate() }
    for y in 0..<height {
      if y % BlurFilter.rowsPerPoll == 0, isCancelled() { throw CancellationError() }
      row(from: source + y * stride, to: lines)
      row(from: lines, to: lines + stride)
      row(from: lines + stride, to: target + y * stride)
    }
  }

  private func row(from source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>) {
    let input = UnsafeRawPointer(source)
    let output = UnsafeMutableRawPointer(target)
    let last = width - 1
    @inline(__always) func pixel(_ x: Int) -> SIMD4<UInt32> {
      let parts = input.loadUnaligned(fromByteOffset: 4 * x, as: SIMD4<UInt8>.self)
      return SIMD4<UInt32>(truncatingIfNeeded: parts)
    }
    // Pixels beyond the edge have the value of the edge pixel.
    var sum = pixel(0) &* UInt32(reach + 1)
    for x in 1..<(reach + 1) { sum &+= pixel(min(x, last)) }
    for x in 0..<width {
      let mean = ((sum &+ half) &* factor) &>> 24
      output.storeBytes(
        of: SIMD4<UInt8>(truncatingIfNeeded: mean),
        toByteOffset: 4 * x,
        as: SIMD4<UInt8>.self
      )
      sum = sum &+ pixel(min(x + reach + 1, last)) &- pixel(max(x - reach, 0))
    }
  }

  /// Performs one pass along the columns, 16 bytes at a time.
  func columns(
    from source: UnsafePointer<UInt8>,
    to target: UnsafeMutablePointer<UInt8>,
    _ isCancelled: () -> Bool
  ) throws {
    let stride = 4 * width
    let sums = UnsafeMutablePointer<UInt32>.allocate(capacity: stride)
    defer { sums.deallocate() }
    begin(sums, source)
    for y in 0..<height {
      if y % BlurFilter.rowsPerPoll == 0, isCancelled() { throw CancellationError() }
      step(
        sums,
        to: target + y * stride,
        entering: source + min(y + reach + 1, height - 1) * stride,
        leaving: source + max(y - reach, 0) * stride
      )
    }
  }

  private func begin(_ sums: UnsafeMutablePointer<UInt32>, _ source: UnsafePointer<UInt8>) {
    let stride = 4 * width
    for x in 0..<stride { sums[x] = UInt32(source[x]) &* UInt32(reach + 1) }
    for y in 1..<(reach + 1) {
      let row = source + min(y, height - 1) * stride
      for x in 0..<stride { sums[x] &+= UInt32(row[x]) }
    }
  }

  @inline(__always)
  private func step(
    _ sums: UnsafeMutablePointer<UInt32>,
    to target: UnsafeMutablePointer<UInt8>,
    entering: UnsafePointer<UInt8>,
    leaving: UnsafePointer<UInt8>
  ) {
    let stride = 4 * width
    let whole = stride & ~15
    let (added, taken) = (UnsafeRawPointer(entering), UnsafeRawPointer(leaving))
    let (memory, output) = (UnsafeMutableRawPointer(sums), UnsafeMutableRawPointer(target))
    var x = 0
    while x < whole {
      let sum = memory.loadUnaligned(fromByteOffset: 4 * x, as: SIMD16<UInt32>.self)
      let mean = ((sum &+ half) &* factor) &>> 24
      output.storeBytes(
        of: SIMD16<UInt8>(truncatingIfNeeded: mean),
        toByteOffset: x,
        as: SIMD16<UInt8>.self
      )
      let more = added.loadUnaligned(fromByteOffset: x, as: SIMD16<UInt8>.self)
      let less = taken.loadUnaligned(fromByteOffset: x, as: SIMD16<UInt8>.self)
      memory.storeBytes(
        of: sum &+ SIMD16<UInt32>(truncatingIfNeeded: more)
          &- SIMD16<UInt32>(truncatingIfNeeded: less),
        toByteOffset: 4 * x,
        as: SIMD16<UInt32>.self
      )
      x += 16
    }
    while x < stride {
      target[x] = UInt8(truncatingIfNeeded: ((sums[x] &+ half) &* factor) &>> 24)
      sums[x] = sums[x] &+ UInt32(entering[x]) &- UInt32(leaving[x])
      x += 1
    }
  }
}
