extension Embedding: CustomReflectable {
  /// Its descriptor. May be asked for on any thread.
  public var customMirror: Mirror { Mirror(self, showing: [("pollDescriptor", pollDescriptor)]) }
}
