/// How text came out in lines.
public struct TextMeasure: Hashable, Sendable {
  /// How large it is, in points.
  public var size = Size.zero
  /// How many lines.
  public var lineCount = 0
  /// Whether some of it is left out.
  public var isTruncated = false

  /// No text.
  public init() {}
}

extension AttributedText {
  /// How it comes out in lines of `size.width`, as far as there is room in
  /// `size.height`; both may be infinite.
  ///
  /// Call from any thread: each has fonts of its own, which the first call on it loads:
  /// 0.6 to 2 ms of a processor, by `LT_FIGURES=1 swift test --package-path Display
  /// --filter TextCost`.
  public func measure(_ style: TextStyle, in size: Size) -> TextMeasure {
    isEmpty ? TextMeasure() : TextLayout(self, style, in: size).measure
  }

  /// The longest item that Pango makes of it, in bytes.
  package var longestItem: Int { TextItems.pieces(of: string).map(\.count).max() ?? 0 }

  /// Bytes of it that are set to measure it, some of them more than once: what that takes.
  package func bytesSet(_ style: TextStyle, in size: Size) -> Int {
    isEmpty ? 0 : TextLayout(self, style, in: size).bytesSet
  }

  /// Draws it into `rect`, and its shadow behind it.
  ///
  /// Call from any thread. `isCancelled` is asked before the text is set, again whenever
  /// more of it is, and before each line.
  ///
  /// - Throws: A `CancellationError`; a `DisplayError` if there is no memory.
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

  /// Draws `shadow` of the text alone, as if it were set in `size` with `shapes`.
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
