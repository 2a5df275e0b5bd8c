import CDisplayPango

/// Text laid out in lines, for measuring or drawing.
///
/// Belongs to the thread that created it, and uses that thread's Pango context.
/// Each drawing creates its own layout. Pango lays out text in one step that
/// cannot be cancelled, and `AttributedText` limits the duration of this step.
struct TextLayout: ~Copyable {
  let layout: OpaquePointer
  private let lineLimit: Int
  private let height: Double
  private let byteCount: Int
  private let isCut: Bool
  /// The number of bytes passed to Pango so far, as a measure of the work.
  /// Bytes that were passed twice count twice.
  private(set) var bytesSet = 0

  /// Lays out `text` in lines of `size.width`. Lines beyond `size.height` are
  /// omitted. Both lengths may be infinite. Each of `shapes` replaces its range
  /// of text with empty space. If `isCancelled` returns true, the layout is
  /// incomplete and must not be used.
  init(
    _ text: AttributedText,
    _ style: TextStyle,
    in size: Size,
    shapes: [TextShape] = [],
    _ isCancelled: () -> Bool = { false }
  ) {
    guard let layout = ad_pango_layout_new(TextContext.current) else {
      trap("TextLayout: out of memory for a Pango layout")
    }
    self.layout = layout
    lineLimit = max(0, style.lineLimit ?? .max)
    height = size.height
    byteCount = text.string.utf8.count
    isCut = text.isCut
    setAttributes(text, shapes)
    setLines(style, size)
    setText(text, isCancelled)
  }

  deinit { ad_g_object_unref(UnsafeMutableRawPointer(layout)) }

  private func setAttributes(_ text: AttributedText, _ shapes: [TextShape]) {
    let list = ad_pango_attr_list_new()
    for run in text.runs {
      let attributes = run.attributes
      func insert(_ attribute: UnsafeMutablePointer<ad_pango_attribute_t>?) {
        attribute?.pointee.start_index = UInt32(clamping: run.range.lowerBound)
        attribute?.pointee.end_index = UInt32(clamping: run.range.upperBound)
        ad_pango_attr_list_insert(list, attribute)
      }
      let font = Self.description(of: attributes.font)
      insert(ad_pango_attr_font_desc_new(font))
      ad_pango_font_description_free(font)
      let color = attributes.color
      insert(
        ad_pango_attr_foreground_new(
          Self.part(color.red),
          Self.part(color.green),
          Self.part(color.blue)
        )
      )
      // The value is at least 1, because Pango treats 0 as unset.
      insert(ad_pango_attr_foreground_alpha_new(max(1, Self.part(color.alpha))))
      if attributes.isUnderlined { insert(ad_pango_attr_underline_new(ad_pango_underline)) }
      if attributes.letterSpacing != 0 {
        insert(ad_pango_attr_letter_spacing_new(Self.units(attributes.usableSpacing)))
      }
    }
    for (index, shape) in shapes.enumerated() {
      ad_pango_attr_list_insert(list, shape.makeAttribute(index))
    }
    for piece in TextItems.pieces(of: text.string) {
      // The attribute has its default value. It only starts a new item.
      let attribute = ad_pango_attr_fallback_new(1)
      attribute?.pointee.start_index = UInt32(clamping: piece.lowerBound)
      attribute?.pointee.end_index = UInt32(clamping: piece.upperBound)
      ad_pango_attr_list_insert(list, attribute)
    }
    ad_pango_layout_set_attributes(layout, list)
    ad_pango_attr_list_unref(list)
  }

  private func setLines(_ style: TextStyle, _ size: Size) {
    if size.width.isFinite { ad_pango_layout_set_width(layout, max(0, Self.units(size.width))) }
    ad_pango_layout_set_wrap(layout, ad_pango_wrap_word_char)
    ad_pango_layout_set_spacing(layout, Self.units(style.lineSpacing))
    ad_pango_layout_set_justify(layout, style.alignment == .justified ? 1 : 0)
    switch style.alignment {
    case .left, .justified: ad_pango_layout_set_alignment(layout, ad_pango_left)
    case .center: ad_pango_layout_set_alignment(layout, ad_pango_center)
    case .right: ad_pango_layout_set_alignment(layout, ad_pango_right)
    }
    switch style.truncation {
    case .none: return
    case .start: ad_pango_layout_set_ellipsize(layout, ad_pango_ellipsize_start)
    case .middle: ad_pango_layout_set_ellipsize(layout, ad_pango_ellipsize_middle)
    case .end: ad_pango_layout_set_ellipsize(layout, ad_pango_ellipsize_end)
    }
    // Pango interprets a negative height as a number of lines.
    if let limit = style.lineLimit {
      ad_pango_layout_set_height(layout, -Int32(clamping: max(1, limit)))
    } else if size.height.isFinite {
      ad_pango_layout_set_height(layout, max(0, Self.units(size.height)))
    }
  }

  private static func description(of font: Font) -> OpaquePointer? {
    let description = ad_pango_font_description_new()
    ad_pango_font_description_set_family(description, font.usableFamily)
    ad_pango_font_description_set_absolute_size(
      description,
      font.usableSize * Double(ad_pango_scale)
    )
    ad_pango_font_description_set_weight(description, UInt32(min(max(font.weight, 100), 1000)))
    if font.isItalic { ad_pango_font_description_set_style(description, ad_pango_italic) }
    return description
  }

  private static func part(_ value: Double) -> UInt16 {
    value.isFinite ? UInt16(min(max(value, 0), 1) * 65_535) : 0
  }

  // Pango's unit is 1/1024 point. A width of a million points is effectively
  // unlimited.
  static func units(_ points: Double) -> Int32 {
    points.isFinite ? Int32(min(max(points, -1e6), 1e6) * Double(ad_pango_scale)) : 0
  }
}

// Results.
extension TextLayout {
  /// The number of glyphs that no installed font contains.
  var unknownGlyphs: Int { Int(ad_pango_layout_get_unknown_glyphs_count(layout)) }

  /// The size and line count of the text.
  var measure: TextMeasure {
    var measure = TextMeasure()
    measure.isTruncated = ad_pango_layout_is_ellipsized(layout) != 0
    var end = 0
    forEachLine { line, _, logical in
      measure.lineCount += 1
      end = Int(ad_pango_layout_line_get_start_index(line) + ad_pango_layout_line_get_length(line))
      let scale = Double(ad_pango_scale)
      // The values are added as Double, because Pango's integers overflow above
      // two million points.
      let right = Double(logical.x) + Double(logical.width)
      measure.size.width = max(measure.size.width, right / scale)
      measure.size.height = (Double(logical.y) + Double(logical.height)) / scale
      return true
    }
    // Pango's line count cannot be used here. If the text has an ellipsis,
    // Pango creates no lines for paragraphs that do not fit.
    if end < byteCount || isCut { measure.isTruncated = true }
    return measure
  }

  /// Lays out and draws `text`, unless cancelled.
  static func draw(
    _ text: AttributedText,
    _ style: TextStyle,
    in size: Size,
    shapes: [TextShape] = [],
    of context: DrawingContext,
    _ isCancelled: () -> Bool
  ) throws {
    if isCancelled() { throw CancellationError() }
    try TextLayout(text, style, in: size, shapes: shapes, isCancelled)
      .draw(in: context, isCancelled: isCancelled)
  }

  /// Draws the lines at the origin of `context`. Stops if cancelled.
  func draw(in context: DrawingContext, isCancelled: () -> Bool) throws {
    var wasCancelled = false
    forEachLine { line, baseline, logical in
      if isCancelled() {
        wasCancelled = true
        return false
      }
      let scale = Double(ad_pango_scale)
      ad_cairo_move_to(context.cairo, Double(logical.x) / scale, Double(baseline) / scale)
      ad_pango_cairo_show_layout_line(context.cairo, line)
      return true
    }
    if wasCancelled { throw CancellationError() }
  }

  /// Calls `body` for each cluster in the lines that fit. `body` receives the
  /// cluster's byte index in the text and its rectangle, which is as high as
  /// the line.
  func forEachCluster(_ body: (Int, Rect) -> Void) {
    guard let iterator = ad_pango_layout_get_iter(layout) else { return }
    defer { ad_pango_layout_iter_free(iterator) }
    var (last, bounds) = (OpaquePointer?.none, bounds)
    repeat {
      let line = ad_pango_layout_iter_get_line_readonly(iterator)
      var (extents, cluster) = (ad_pango_rect_t(), ad_pango_rect_t())
      ad_pango_layout_iter_get_line_extents(iterator, nil, &extents)
      if line != last { guard bounds.admit(extents) else { return } }
      last = line
      ad_pango_layout_iter_get_cluster_extents(iterator, nil, &cluster)
      let scale = Double(ad_pango_scale)
      let rect = Rect(
        x: Double(cluster.x) / scale,
        y: Double(extents.y) / scale,
        width: Double(cluster.width) / scale,
        height: Double(extents.height) / scale
      )
      body(Int(ad_pango_layout_iter_get_index(iterator)), rect)
    } while ad_pango_layout_iter_next_cluster(iterator) != 0
  }

  /// Calls `body` for each line that fits, until `body` returns false. `body`
  /// receives the line's baseline and extents.
  private func forEachLine(_ body: (OpaquePointer, Int32, ad_pango_rect_t) -> Bool) {
    guard let iterator = ad_pango_layout_get_iter(layout) else { return }
    defer { ad_pango_layout_iter_free(iterator) }
    var bounds = bounds
    repeat {
      guard let line = ad_pango_layout_iter_get_line_readonly(iterator) else { return }
      var logical = ad_pango_rect_t()
      ad_pango_layout_iter_get_line_extents(iterator, nil, &logical)
      guard bounds.admit(logical) else { return }
      guard body(line, ad_pango_layout_iter_get_baseline(iterator), logical) else { return }
    } while ad_pango_layout_iter_next_line(iterator) != 0
  }

  private var bounds: TextBounds { TextBounds(lineLimit: lineLimit, height: height) }
}

// Laying out a text in portions.
extension TextLayout {
  /// Lays out only as many paragraphs as may fit, because Pango sets all lines
  /// in one step that cannot be cancelled. Paragraphs that are added later do
  /// not affect earlier paragraphs.
  private mutating func setText(_ text: AttributedText, _ isCancelled: () -> Bool) {
    var paragraphs = paragraphGuess(for: text)
    let count = text.string.utf8.count
    text.string.withCString { string in
      while true {
        let end = Self.end(of: paragraphs, in: string, count)
        ad_pango_layout_set_text(layout, string, Int32(clamping: end))
        bytesSet += end
        guard end < count, hasRoom(for: paragraphs), !isCancelled() else { return }
        paragraphs *= 2
      }
    }
  }

  // Returns an estimate of the number of paragraphs that fit. The estimate is
  // large enough if no line is lower than the largest font size. If some lines
  // are lower, more paragraphs are added later.
  private func paragraphGuess(for text: AttributedText) -> Int {
    guard height.isFinite || lineLimit < .max else { return .max }
    let largest = text.runs.reduce(0.1) { max($0, $1.attributes.font.usableSize) }
    let lines = height.isFinite ? height / largest : .infinity
    return Int(max(16, min(lines, Double(lineLimit), 1e6)))
  }

  private func hasRoom(for paragraphs: Int) -> Bool {
    // If the text has an ellipsis, Pango creates no lines for paragraphs that
    // do not fit.
    guard Int(ad_pango_layout_get_line_count(layout)) >= paragraphs else { return false }
    var lines = 0
    forEachLine { _, _, _ in
      lines += 1
      return true
    }
    return lines == Int(ad_pango_layout_get_line_count(layout))
  }

  // Returns the byte index where the given number of paragraphs ends, before
  // the line break.
  private static func end(
    of paragraphs: Int,
    in string: UnsafePointer<CChar>,
    _ count: Int
  ) -> Int {
    var left = paragraphs
    for index in 0..<count where string[index] == 10 {
      left -= 1
      if left == 0 { return index > 0 && string[index - 1] == 13 ? index - 1 : index }
    }
    return count
  }
}
