/// Mixed text with its layout parameters. The layout is computed again for each
/// drawing, on the drawing thread.
struct MixedLayout: Sendable {
  /// The rectangle of a link in one line, or of a part of the link.
  struct Region: Hashable, Sendable {
    /// The index of the link.
    let link: Int
    var rect: Rect
  }

  let content: MixedText
  let style: TextStyle
  let vertical: MixedNode.VerticalAlignment
  /// The decoded images. The element of an image that failed is nil.
  var bitmaps: [Bitmap?] = []
  /// The pressed link and its highlight colour.
  var pressed: (link: Int, color: Color)?

  private var shapes: [TextShape] {
    content.placed.map {
      TextShape(range: $0.range, size: $0.image.size, descent: $0.image.descent)
    }
  }

  /// Returns the size of the text when laid out in `size`.
  func measure(in size: Size) -> TextMeasure {
    content.isEmpty
      ? TextMeasure() : TextLayout(content.text, style, in: size, shapes: shapes).measure
  }

  /// Draws the text into `size`. Returns the rectangles of its links.
  func draw(
    in context: DrawingContext,
    _ size: Size,
    _ isCancelled: () -> Bool
  ) throws -> [Region] {
    guard !content.isEmpty else { return [] }
    let layout = TextLayout(content.text, style, in: size, shapes: shapes, isCancelled)
    // The layout takes most of the time, so cancellation is checked right after
    // it.
    if isCancelled() { throw CancellationError() }
    let top = vertical == .top ? 0 : vertical.top(of: layout.measure.size.height, in: size.height)
    let regions = content.links.isEmpty ? [] : regions(of: layout, top: top)
    if let pressed {
      for region in regions where region.link == pressed.link {
        context.fill(region.rect, radius: 3, with: pressed.color)
      }
    }
    try context.saved {
      context.translate(x: 0, y: top)
      if let shadow = style.shadow {
        try content.text.draw(shadow, style, in: size, shapes: shapes, of: context, isCancelled)
      }
      try ShapePainter(shapes, in: context) { index, rect in
        try draw(index, rect, in: context)
      }.draw { try layout.draw(in: context, isCancelled: isCancelled) }
    }
    return regions
  }

  private func draw(_ index: Int, _ rect: Rect, in context: DrawingContext) throws {
    guard bitmaps.indices.contains(index), let bitmap = bitmaps[index] else { return }
    let place = ContentMode.aspectFit.rect(of: bitmap.pixels, in: rect.size, scale: context.scale)
    let origin = Point(x: rect.origin.x + place.origin.x, y: rect.origin.y + place.origin.y)
    try context.draw(bitmap, in: Rect(origin: origin, size: place.size))
  }

  // Determined for each cluster, because a link may span lines, run in both
  // directions, or be truncated.
  private func regions(of layout: borrowing TextLayout, top: Double) -> [Region] {
    var regions: [Region] = []
    layout.forEachCluster { index, rect in
      guard let link = content.link(at: index) else { return }
      var rect = rect
      rect.origin.y += top
      if let last = regions.last, last.link == link, last.rect.adjoins(rect) {
        regions[regions.count - 1].rect = last.rect.joined(to: rect)
      } else {
        regions.append(Region(link: link, rect: rect))
      }
    }
    return regions
  }
}

extension Rect {
  /// Returns whether `other` is next to this rectangle in the same line.
  fileprivate func adjoins(_ other: Rect) -> Bool {
    origin.y == other.origin.y && other.origin.x <= maxX + 0.5 && other.maxX >= origin.x - 0.5
  }
}

extension MixedNode.VerticalAlignment {
  /// Returns the vertical offset of text of `height` in a space of height
  /// `room`.
  fileprivate func top(of height: Double, in room: Double) -> Double {
    let left = max(0, room - height)
    switch self {
    case .top: return 0
    case .center: return left / 2
    case .bottom: return left
    }
  }
}
