/// Text.
///
/// It is set in lines where it is drawn, on a worker. `measure` sets it for who lays
/// out, on the thread that builds the tree.
///
/// Pango sets a text in one step, and nothing asks meanwhile whether the display was
/// cancelled: 0.5 to 0.8 ms of a processor for 1,000 characters of DejaVu Sans, by
/// `LT_FIGURES=1 swift test --package-path Display --filter TextCost`. So `AttributedText`
/// bounds how long it is, and how many paragraphs, stretches and marks it has. A text of
/// many paragraphs is set no further than there is room for. One of more than 1,024 bytes is
/// shaped in pieces of 256 bytes at most, which end before a word if they can.
///
/// After Texture's ASTextNode, without its lock.
open class TextNode: Node {
  /// The text.
  public var text = AttributedText() {
    didSet { if text != oldValue { setNeedsDisplay() } }
  }

  /// How it is set in lines.
  public var style = TextStyle() {
    didSet { if style != oldValue { setNeedsDisplay() } }
  }

  /// How large the text comes out in `size`, which may be infinite either way.
  ///
  /// Call on the thread that builds the tree; on the loop if it is loaded.
  public func measure(in size: Size) -> TextMeasure { text.measure(style, in: size) }

  override var scratchBytes: Int {
    style.shadow?.scratchBytes(of: contentRect.size, scale: rasterizer.scale) ?? 0
  }

  override open func makeDrawing() -> DisplayTask.Display? {
    if text.isEmpty { return nil }
    return { [text, style] context, size, isCancelled in
      try text.draw(style, in: Rect(size: size), of: context, isCancelled: isCancelled)
    }
  }
}
