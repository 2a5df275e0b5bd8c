/// The contents that a layer shows during an asynchronous display. If the
/// display fails or is cancelled, contents that were removed are not restored.
public enum ContentsPolicy: Hashable, Sendable {
  /// Show the previous contents.
  case keep
  /// Show no contents.
  case clear
  /// Show the layer's placeholder.
  case placeholder
}
