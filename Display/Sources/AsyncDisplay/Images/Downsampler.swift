/// Reduces images by integer factors.
enum Downsampler {
  /// Returns `bitmap` with each square of `factor` by `factor` pixels replaced
  /// by one pixel, the mean of the square. Squares at the right and bottom
  /// edges may be smaller. Returns `bitmap` itself if `factor` is 1.
  static func downsample(
    _ bitmap: Bitmap,
    by factor: Int,
    from pool: BitmapPool,
    _ isCancelled: () -> Bool
  ) throws -> Bitmap {
    guard factor > 1 else { return bitmap }
    let source = bitmap.pixels
    let pixels = PixelSize(
      width: (source.width + factor - 1) / factor,
      height: (source.height + factor - 1) / factor
    )
    let scale = bitmap.scale / Double(factor)
    let result = try Bitmap(uninitialized: pixels, scale: scale, from: pool)
    let input = UnsafeRawPointer(bitmap.bytes)
    let output = UnsafeMutableRawPointer(result.bytes)
    // Counted in rows of the result. Each row of the result reads `factor` rows
    // of the source.
    let rowsPerPoll = max(1, BlurFilter.rowsPerPoll / factor)
    for y in 0..<pixels.height {
      if y % rowsPerPoll == 0, isCancelled() { throw CancellationError() }
      let rows = (y * factor)..<min((y + 1) * factor, source.height)
      for x in 0..<pixels.width {
        let columns = (x * factor)..<min((x + 1) * factor, source.width)
        var sum = SIMD4<UInt32>.zero
        for row in rows {
          for column in columns {
            let offset = row * source.stride + 4 * column
            let parts = input.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt8>.self)
            sum &+= SIMD4<UInt32>(truncatingIfNeeded: parts)
          }
        }
        let count = UInt32(rows.count * columns.count)
        let mean = (sum &+ count / 2) / SIMD4(repeating: count)
        output.storeBytes(
          of: SIMD4<UInt8>(truncatingIfNeeded: mean),
          toByteOffset: y * pixels.stride + 4 * x,
          as: SIMD4<UInt8>.self
        )
      }
    }
    return result
  }
}
