// What `dump`, a debugger and a failed expectation show. Each mirror may be asked for on
// any thread: what belongs to the loop's thread is left out elsewhere.

extension PortCore: Unreflected {}
extension Inbox: Unreflected {}
extension VirtualTime: Unreflected {}
extension TimerList: Unreflected {}

extension PortCore {
  /// `children` on the loop's thread, else none.
  func onThread(_ children: () -> [(String, Any)]) -> [(String, Any)] {
    isOnThread ? children() : []
  }
}

extension Mirror {
  /// Shows `children` of `subject`, and nothing of its stored properties.
  package init<Subject>(_ subject: Subject, showing children: [(String, Any)]) {
    let children = children.map { Child(label: $0.0, value: $0.1) }
    self.init(subject, children: children, ancestorRepresentation: .suppressed)
  }
}

extension EventLoop: CustomReflectable {
  /// Its state, and what it has done so far.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: core.onThread { [("state", state)] } + [("metrics", core.metrics.snapshot)]
    )
  }
}

extension LoopPort: CustomReflectable {
  /// What the loop has done so far.
  public var customMirror: Mirror { Mirror(self, showing: [("metrics", metrics)]) }
}

extension Observer: CustomReflectable {
  /// When it is called, and whether it will be again.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: [("activities", activities), ("order", order), ("repeats", repeats)]
        + core.onThread { [("isActive", isAttached)] }
    )
  }
}

extension LoopTimer: CustomReflectable {
  /// When it fires, and whether it will.
  public var customMirror: Mirror {
    Mirror(self, showing: core.onThread { [("deadline", due), ("isActive", isActive)] })
  }
}

extension FrameClock: CustomReflectable {
  /// Its rate, and whether it runs.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: [("framesPerSecond", framesPerSecond)] + core.onThread { [("isActive", isActive)] }
    )
  }
}
