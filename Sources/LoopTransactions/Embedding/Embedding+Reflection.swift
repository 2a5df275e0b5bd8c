extension Embedding: CustomReflectable {
  /// Shows the descriptor. May be requested on any thread.
  public var customMirror: Mirror { Mirror(self, showing: [("pollDescriptor", pollDescriptor)]) }
}
