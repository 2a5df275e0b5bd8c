import CDisplayPango

/// Empty space that replaces a range of text.
struct TextShape: Sendable {
  /// The range in bytes of UTF-8.
  let range: Range<Int>
  let size: Size
  /// The distance that the space extends below the baseline.
  let descent: Double
}

/// Draws the contents of shapes while the lines of their text are drawn.
/// Belongs to the thread that draws the text.
final class ShapePainter {
  private let context: DrawingContext
  private let body: (Int, Rect) throws -> Void
  private let shapes: [TextShape]
  private var failure: (any Error)?

  /// Creates a painter that calls `body` with the index and rectangle of each
  /// shape.
  init(
    _ shapes: [TextShape],
    in context: DrawingContext,
    _ body: @escaping (_ index: Int, _ rect: Rect) throws -> Void
  ) {
    self.shapes = shapes
    self.context = context
    self.body = body
  }

  /// Calls `lines`, which draws lines of text with this thread's Pango context.
  ///
  /// - Throws: An error that `lines` throws. If `lines` does not throw, the
  ///   first error that occurred while a shape was drawn.
  func draw(_ lines: () throws -> Void) throws {
    let pango = TextContext.current
    let data = Unmanaged.passUnretained(self).toOpaque()
    ad_pango_cairo_context_set_shape_renderer(pango, drawShape, data, nil)
    defer { ad_pango_cairo_context_set_shape_renderer(pango, nil, nil, nil) }
    try lines()
    if let failure { throw failure }
  }

  fileprivate func draw(_ index: Int) {
    guard failure == nil, shapes.indices.contains(index) else { return }
    var (x, y) = (0.0, 0.0)
    ad_cairo_get_current_point(context.cairo, &x, &y)
    let shape = shapes[index]
    let rect = Rect(
      origin: Point(x: x, y: y - (shape.size.height - shape.descent)),
      size: shape.size
    )
    do { try body(index, rect) } catch { failure = error }
  }
}

private func drawShape(
  _: OpaquePointer?,
  _ shape: UnsafeMutablePointer<ad_pango_shape_t>?,
  _: Int32,
  _ data: UnsafeMutableRawPointer?
) {
  guard let shape, let data else { return }
  // The pointer is the index plus one, so that no index becomes a null pointer.
  Unmanaged<ShapePainter>.fromOpaque(data).takeUnretainedValue()
    .draw(Int(bitPattern: shape.pointee.data) - 1)
}

extension TextShape {
  /// Returns the Pango attribute that represents the shape. `index` identifies
  /// the shape.
  func makeAttribute(_ index: Int) -> UnsafeMutablePointer<ad_pango_attribute_t>? {
    var rect = ad_pango_rect_t()
    rect.y = TextLayout.units(descent - size.height)
    rect.width = TextLayout.units(max(0, size.width))
    rect.height = TextLayout.units(max(0, size.height))
    let data = UnsafeMutableRawPointer(bitPattern: index + 1)
    let attribute = ad_pango_attr_shape_new_with_data(&rect, &rect, data, nil, nil)
    attribute?.pointee.start_index = UInt32(clamping: range.lowerBound)
    attribute?.pointee.end_index = UInt32(clamping: range.upperBound)
    return attribute
  }
}
