// The mirrors that `dump`, a debugger and a failed expectation show. They can
// be created on any thread.

extension ActivityChannel: Unreflected {}
extension ObservedTarget: Unreflected {}
extension OrphanedJobs: Unreflected {}
extension LoopActivities.Subscription: Unreflected {}

extension LoopBound: CustomReflectable {
  /// Shows the value. On other threads than the loop's, the mirror is empty.
  public var customMirror: Mirror {
    Mirror(self, showing: core.onThread { [("value", box.value)] })
  }
}

extension MainQueueBridge: CustomReflectable {
  /// Shows whether the loop waits for the main queue. The mirror is empty off
  /// the loop's thread.
  public var customMirror: Mirror {
    Mirror(self, showing: core.onThread { [("keepsLoopAlive", isWaitedFor)] })
  }
}
