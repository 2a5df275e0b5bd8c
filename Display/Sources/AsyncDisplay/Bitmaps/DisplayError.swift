/// Why something could not be drawn.
public enum DisplayError: Error, Hashable, Sendable {
  /// The bounds or the scale can not be drawn.
  case size(PixelSize.SizeError)
  /// The system has no memory for a bitmap.
  case noMemory(byteCount: Int)
  /// Cairo failed, and says this.
  case cairo(String)
}
