/// Maps the rows of an image to upright orientation.
///
/// Exif's orientation, 1 to 8, tells where the top of the scene is, and whether
/// it is mirrored. Rows are placed while they are decoded, so only a few rows
/// of additional memory are needed.
struct ExifOrientation {
  /// The size in upright orientation.
  let pixels: PixelSize
  /// Whether the image is already upright.
  let isUpright: Bool

  private let width: Int
  // The index of the first pixel in the upright image, and the distances to the
  // next pixel and to the next row, in pixels.
  private let start: Int
  private let toNext: Int
  private let toNextRow: Int

  /// Creates a mapping for an image of `source` pixels. An unknown
  /// `orientation` counts as 1: unchanged.
  init(_ orientation: Int, _ source: PixelSize) {
    let isSideways = 5...8 ~= orientation
    pixels = isSideways ? PixelSize(width: source.height, height: source.width) : source
    isUpright = !(2...8 ~= orientation)
    width = source.width
    // Whether columns or rows are reversed.
    let isFlipped = [2, 3, 7, 8].contains(orientation)
    let isUpsideDown = [3, 4, 6, 7].contains(orientation)
    let (across, down) = isSideways ? (pixels.width, 1) : (1, pixels.width)
    toNext = isFlipped ? -across : across
    toNextRow = isUpsideDown ? -down : down
    start =
      (isFlipped ? (source.width - 1) * across : 0)
      + (isUpsideDown ? (source.height - 1) * down : 0)
  }

  /// Copies `rows`, which begin at `source`, to their places in `target`.
  func place(
    _ rows: Range<Int>,
    of source: UnsafePointer<UInt32>,
    in target: UnsafeMutablePointer<UInt32>
  ) {
    let first = target + start + rows.lowerBound * toNextRow
    // Rows in the inner loop: for sideways orientations, adjacent target pixels
    // are in neighbouring source rows.
    for x in 0..<width {
      for y in 0..<rows.count { first[x * toNext + y * toNextRow] = source[y * width + x] }
    }
  }
}
