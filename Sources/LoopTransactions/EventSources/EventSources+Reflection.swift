extension DescriptorList: Unreflected {}

extension DescriptorWatcher: CustomReflectable {
  /// Shows the descriptor, the requested events, and whether the watcher is
  /// active.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: [("descriptor", descriptor)]
        + core.onThread { [("events", events), ("isActive", isAttached)] }
    )
  }
}

extension SignalList: Unreflected {}

extension SignalWatcher: CustomReflectable {
  /// Shows the signal, and whether the watcher is active.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: [("signal", signal)] + core.onThread { [("isActive", isAttached)] }
    )
  }
}

extension ChildWatcher: CustomReflectable {
  /// Shows the child's process identifier, and whether the watcher is active.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: [("process", process)] + core.onThread { [("isActive", isActive)] }
    )
  }
}
