/// The size of text that has been laid out.
public struct TextMeasure: Hashable, Sendable {
  /// The size in points.
  public var size = Size.zero
  /// The number of lines.
  public var lineCount = 0
  /// Whether some of the text was omitted.
  public var isTruncated = false

  /// Creates the measure of an empty text.
  public init() {}
}

extension AttributedText {
  /// Returns the size of the text when laid out in `size`. Both lengths may be
  /// infinite.
  ///
  /// Call from any thread. The first call on a thread loads fonts, which takes
  /// 0.6 to 2 ms of CPU time (`LT_FIGURES=1 swift test --package-path Display
  /// --filter TextCost`).
  public func measure(_ style: TextStyle, in size: Size) -> TextMeasure {
    isEmpty ? TextMeasure() : TextLayout(self, style, in: size).measure
  }

  /// The number of characters that no installed font contains.
  ///
  /// Call from any thread. Lays the text out, as `measure(_:in:)` does.
  public var unknownCharacters: Int {
    let size = Size(width: .infinity, height: .infinity)
    return isEmpty ? 0 : TextLayout(self, TextStyle(), in: size).unknownGlyphs
  }

  /// The length in bytes of the longest item that Pango shapes.
  var longestItem: Int { TextItems.pieces(of: string).map(\.count).max() ?? 0 }

  /// Returns the number of bytes laid out to measure the text. Bytes that were
  /// laid out twice count twice.
  func bytesSet(_ style: TextStyle, in size: Size) -> Int {
    isEmpty ? 0 : TextLayout(self, style, in: size).bytesSet
  }

  /// Draws the text into `rect`, over its shadow.
  ///
  /// Call from any thread. `isCancelled` is called before each layout step and
  /// before each line.
  ///
  /// - Throws: `CancellationError` once `isCancelled` returns true;
  ///   `DisplayError` if there is not enough memory.
  public func draw(
    _ style: TextStyle,
    in rect: Rect,
    of context: DrawingContext,
    isCancelled: () -> Bool = { false }
  ) throws {
    guard !isEmpty, rect.isValid else { return }
    try context.saved {
      context.translate(x: rect.origin.x, y: rect.origin.y)
      if let shadow = style.shadow {
        try draw(shadow, style, in: rect.size, of: context, isCancelled)
      }
      try TextLayout.draw(self, style, in: rect.size, of: context, isCancelled)
    }
  }

  /// Draws only the shadow of the text, which is laid out in `size` with
  /// `shapes`.
  func draw(
    _ shadow: TextStyle.Shadow,
    _ style: TextStyle,
    in size: Size,
    shapes: [TextShape] = [],
    of context: DrawingContext,
    _ isCancelled: () -> Bool
  ) throws {
    let text = colored(shadow.color)
    try shadow.draw(of: Rect(size: size), in: context, isCancelled) {
      try TextLayout.draw(text, style, in: size, shapes: shapes, of: $0, isCancelled)
    }
  }
}
