extension DispatchHost: CustomReflectable {
  /// Empty: it belongs to the main actor, and reflection may be on any thread.
  public nonisolated var customMirror: Mirror { Mirror(self, children: [:]) }
}
