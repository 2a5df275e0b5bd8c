/// Maps the rows of an image to upright orientation.
///
/// Exif's orientation is a number from 1 to 8. It tells where the top of the
/// scene is, and whether the image is mirrored. Rows are moved to their place
/// while they are decoded, so only a few rows of additional memory are needed.
struct ExifOrientation {
  /// The size in upright orientation.
  let pixels: PixelSize
  /// Whether the image is already upright.
  let isUpright: Bool

  private let width: Int
  // The index of the first source pixel in the upright image. The other two
  // numbers are the distances, in pixels, to the next source pixel and to the
  // next source row.
  private let start: Int
  private let toNext: Int
  private let toNextRow: Int

  /// Creates a mapping for an image of `source` pixels. An unknown
  /// `orientation` counts as 1, which leaves the image unchanged.
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

  /// Copies `rows` to their places in `target`. `source` points to the first of
  /// these rows.
  func place(
    _ rows: Range<Int>,
    of source: UnsafePointer<UInt32>,
    in target: UnsafeMutablePointer<UInt32>
  ) {
    let first = target + start + rows.lowerBound * toNextRow
    // The inner loop runs over rows. For sideways orientations, adjacent target
    // pixels are in neighbouring source rows.
    for x in 0..<width {
      for y in 0..<rows.count { first[x * toNext + y * toNextRow] = source[y * width + x] }
    }
  }
}
