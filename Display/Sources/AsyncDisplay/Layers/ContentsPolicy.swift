/// The contents of a layer during an asynchronous display. If the display fails
/// or is cancelled, contents that were removed are not restored.
public enum ContentsPolicy: Hashable, Sendable {
  /// The previous contents.
  case keep
  /// Nothing.
  case clear
  /// The layer's placeholder.
  case placeholder
}
