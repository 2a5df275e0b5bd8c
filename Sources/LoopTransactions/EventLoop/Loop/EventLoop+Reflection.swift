// The output of `dump`, debuggers and failed expectations. A mirror may be
// requested on any thread, so other threads do not see state of the loop's
// thread.

extension PortCore: Unreflected {}
extension Inbox: Unreflected {}
extension InboxMark: Unreflected {}
extension VirtualTime: Unreflected {}
extension TimerList: Unreflected {}
extension IdleBlocks: Unreflected {}

extension PortCore {
  /// Returns `children` on the loop's thread, and an empty array on other
  /// threads.
  func onThread(_ children: () -> [(String, Any)]) -> [(String, Any)] {
    isOnThread ? children() : []
  }
}

extension Mirror {
  /// Shows `children` of `subject` instead of its stored properties.
  package init<Subject>(_ subject: Subject, showing children: [(String, Any)]) {
    let children = children.map { Child(label: $0.0, value: $0.1) }
    self.init(subject, children: children, ancestorRepresentation: .suppressed)
  }
}

extension EventLoop: CustomReflectable {
  /// Shows the loop's state and its metrics.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: core.onThread { [("state", state)] } + [("metrics", core.metrics.snapshot)]
    )
  }
}

extension LoopPort: CustomReflectable {
  /// Shows the loop's metrics.
  public var customMirror: Mirror { Mirror(self, showing: [("metrics", metrics)]) }
}

extension Observer: CustomReflectable {
  /// Shows the observer's settings and whether it is active.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: [("activities", activities), ("order", order), ("repeats", repeats)]
        + core.onThread { [("isActive", isAttached)] }
    )
  }
}

extension LoopTimer: CustomReflectable {
  /// Shows the timer's deadline and whether it is active.
  public var customMirror: Mirror {
    Mirror(self, showing: core.onThread { [("deadline", due), ("isActive", isActive)] })
  }
}

extension EventLoop.IdleBlock: CustomReflectable {
  /// Shows whether the block waits.
  public var customMirror: Mirror {
    Mirror(self, showing: core.onThread { [("isWaiting", isLive)] })
  }
}

extension DelayedPost: CustomReflectable {
  /// Shows the state of the post.
  public var customMirror: Mirror { Mirror(self, showing: [("state", state)]) }
}

extension FrameClock: CustomReflectable {
  /// Shows the clock's frame rate and whether it is active.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: [("framesPerSecond", framesPerSecond as Any)]
        + core.onThread { [("isActive", isActive)] }
    )
  }
}
