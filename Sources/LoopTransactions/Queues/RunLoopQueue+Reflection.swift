extension QueueCore: Unreflected {}

extension RunLoopQueue: CustomReflectable {
  /// The number of queued elements. Call from any thread.
  public var customMirror: Mirror { Mirror(self, showing: [("count", count)]) }
}
