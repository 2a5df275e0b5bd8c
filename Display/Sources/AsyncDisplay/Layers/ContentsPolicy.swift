/// What a layer shows while a display is under way, and from then on if that fails or is
/// cancelled: what was taken away is not brought back.
public enum ContentsPolicy: Hashable, Sendable {
  /// What it showed before.
  case keep
  /// Nothing.
  case clear
  /// The layer's placeholder.
  case placeholder
}
