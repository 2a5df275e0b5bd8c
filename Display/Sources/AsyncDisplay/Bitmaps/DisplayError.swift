/// An error that prevents a display.
public enum DisplayError: Error, Hashable, Sendable {
  /// The size or the scale is not drawable.
  case size(PixelSize.SizeError)
  /// The system has no memory for a bitmap.
  case noMemory(byteCount: Int)
  /// Cairo failed with this message.
  case cairo(String)
}
