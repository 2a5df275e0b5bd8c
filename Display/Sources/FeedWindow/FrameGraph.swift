import AsyncDisplay

/// A bar chart of the latest frames. It shows how late each frame was, and
/// which frames were dropped.
struct FrameGraph {
  /// One frame.
  struct Bar {
    /// The time from when the frame was due until it was finished, in ms.
    var late: Double
    var missed: Int
    var blanks: Int
  }

  static let size = Size(width: 308, height: 96)

  private var bars: [Bar] = []
  private static let limit = 144

  mutating func add(_ bar: Bar) {
    bars.append(bar)
    if bars.count > Self.limit { bars.removeFirst() }
  }

  /// The number of frames dropped in the last second.
  var missed: Int { bars.suffix(60).reduce(0) { $0 + $1.missed } }

  /// Draws the chart with `caption`.
  func draw(_ caption: String, scale: Double, from pool: BitmapPool) throws -> Bitmap? {
    guard let pixels = try PixelSize(Self.size, scale: scale) else { return nil }
    return try Bitmap.draw(pixels, scale: scale, from: pool) { context in
      context.fill(Rect(size: Self.size), with: Color(white: 0.1))
      for (index, bar) in bars.enumerated() {
        // A bar of full height stands for the duration of two frames. A bar
        // that follows dropped frames has full height and is red.
        let high = bar.missed > 0 ? 60 : min(60, max(1, bar.late * 60 / 33.3))
        let color =
          bar.missed > 0
          ? Color(red: 0.9, green: 0.2, blue: 0.2)
          : bar.blanks > 0
            ? Color(red: 0.9, green: 0.7, blue: 0.2) : Color(red: 0.3, green: 0.8, blue: 0.4)
        let place = Rect(x: 10 + Double(2 * index), y: 90 - high, width: 1.6, height: high)
        context.fill(place, with: color)
      }
      // A line at the height of one frame's duration.
      context.fill(Rect(x: 10, y: 60, width: 288, height: 0.5), with: Color(white: 0.6))
      let text = TextNode()
      let look = TextAttributes(font: Font("DejaVu Sans", size: 11), color: .white)
      text.text = AttributedText(caption, look)
      context.translate(x: 10, y: 6)
      try text.makeDrawing()?(context, Size(width: 288, height: 16)) { false }
    }
  }
}
