extension DispatchHost: CustomReflectable {
  /// An empty mirror: the host belongs to the main actor, but a mirror may be
  /// requested on any thread.
  public nonisolated var customMirror: Mirror { Mirror(self, children: [:]) }
}
