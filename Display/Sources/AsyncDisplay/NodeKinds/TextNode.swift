/// A node that shows text.
///
/// The text is laid out on a worker when it is drawn. To compute the layout of
/// a tree, `measure(in:)` lays out the text on the calling thread.
///
/// Pango lays out a text in one step that cannot be cancelled. This step takes
/// 0.5 to 0.8 ms of CPU time for 1,000 characters of DejaVu Sans (`LT_FIGURES=1
/// swift test --package-path Display --filter TextCost`). `AttributedText`
/// therefore limits the length of a text and the number of its paragraphs, runs
/// and marks. Only paragraphs that may fit the height are laid out. A text of
/// more than 1,024 bytes is shaped in pieces of at most 256 bytes, which end
/// before a word if possible.
///
/// Modelled on Texture's `ASTextNode`, but without a lock.
open class TextNode: Node {
  /// The text.
  public var text = AttributedText() {
    didSet { if text != oldValue { setNeedsDisplay() } }
  }

  /// The line layout of the text.
  public var style = TextStyle() {
    didSet { if style != oldValue { setNeedsDisplay() } }
  }

  /// Returns the size of the text when laid out in `size`, which may be
  /// infinite in either dimension.
  ///
  /// Call on the thread that builds the tree, or on the loop if the node is
  /// loaded.
  public func measure(in size: Size) -> TextMeasure { text.measure(style, in: size) }

  override var scratchBytes: Int {
    style.shadow?.scratchBytes(of: contentRect.size, scale: rasterizer.scale) ?? 0
  }

  /// Returns a closure that draws the text. An override need not call `super`.
  override open func makeDrawing() -> DisplayTask.Display? {
    if text.isEmpty { return nil }
    return { [text, style] context, size, isCancelled in
      try text.draw(style, in: Rect(size: size), of: context, isCancelled: isCancelled)
    }
  }
}
