/// Where the rows of a picture come, the right way up.
///
/// By Exif's orientation, 1 to 8: where the top of the scene is, and whether it is
/// mirrored. Rows are placed as they are decoded, so that turning needs no memory but for
/// a few of them.
struct PictureTurn {
  /// How large it is, the right way up.
  let pixels: PixelSize
  /// Whether it is the right way up as it is.
  let isUpright: Bool

  private let width: Int
  // Where its first pixel comes, and how far from there the next one does, and the next
  // row's, in pixels.
  private let start: Int
  private let toNext: Int
  private let toNextRow: Int

  /// One of `source` pixels, held as `orientation` says. One that there is not is 1: as
  /// it is.
  init(_ orientation: Int, _ source: PixelSize) {
    let isSideways = 5...8 ~= orientation
    pixels = isSideways ? PixelSize(width: source.height, height: source.width) : source
    isUpright = !(2...8 ~= orientation)
    width = source.width
    // Which of its columns and rows come last first.
    let isFlipped = [2, 3, 7, 8].contains(orientation)
    let isUpsideDown = [3, 4, 6, 7].contains(orientation)
    let (across, down) = isSideways ? (pixels.width, 1) : (1, pixels.width)
    toNext = isFlipped ? -across : across
    toNextRow = isUpsideDown ? -down : down
    start =
      (isFlipped ? (source.width - 1) * across : 0)
      + (isUpsideDown ? (source.height - 1) * down : 0)
  }

  /// Places `rows` of it, the first of which is at `source`, in `target`.
  func place(
    _ rows: Range<Int>,
    of source: UnsafePointer<UInt32>,
    in target: UnsafeMutablePointer<UInt32>
  ) {
    let first = target + start + rows.lowerBound * toNextRow
    // Rows within columns: sideways, what lies together is in neighbouring rows.
    for x in 0..<width {
      for y in 0..<rows.count { first[x * toNext + y * toNextRow] = source[y * width + x] }
    }
  }
}
