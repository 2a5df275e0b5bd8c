extension QueueCore: Unreflected {}

extension RunLoopQueue: CustomReflectable {
  /// Shows the number of queued elements. Call from any thread.
  public var customMirror: Mirror { Mirror(self, showing: [("count", count)]) }
}
