/// How the rows of a picture lie in memory, the right way up.
///
/// By Exif's orientation, 1 to 8: where the top of the scene is, and whether it is
/// mirrored. Pixels are taken from where they are, so that turning needs no memory, and
/// is cancelled between rows.
struct PictureTurn {
  /// How large it is, the right way up.
  let width: Int
  let height: Int
  /// Where the first of its pixels is, in bytes, and how far it is from there to the next
  /// one, and to the next row.
  let start: Int
  let toNext: Int
  let toNextRow: Int
  /// Whether its rows are columns there.
  let isSideways: Bool

  /// One of `width` by `height` pixels of `channels` bytes, in rows of `stride`, held as
  /// `orientation` says. One that there is not is 1: as it is.
  init(_ orientation: Int, width: Int, height: Int, channels: Int, stride: Int) {
    isSideways = 5...8 ~= orientation
    self.width = isSideways ? height : width
    self.height = isSideways ? width : height
    // Which of its columns and rows come last first.
    let isFlipped = [2, 3, 7, 8].contains(orientation)
    let isUpsideDown = [3, 4, 6, 7].contains(orientation)
    start = (isFlipped ? (width - 1) * channels : 0) + (isUpsideDown ? (height - 1) * stride : 0)
    let (column, row) = (isFlipped ? -channels : channels, isUpsideDown ? -stride : stride)
    (toNext, toNextRow) = isSideways ? (row, column) : (column, row)
  }
}
