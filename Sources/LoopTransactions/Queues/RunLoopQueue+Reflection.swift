extension QueueCore: Unreflected {}

extension RunLoopQueue: CustomReflectable {
  /// How many elements wait. May be asked for on any thread.
  public var customMirror: Mirror { Mirror(self, showing: [("count", count)]) }
}
