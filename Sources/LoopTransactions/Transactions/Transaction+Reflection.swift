extension TransactionSet: Unreflected {}
extension SelectorEntry: Unreflected {}

extension Transaction: CustomReflectable {
  /// Its selector, and on the loop's thread whether it is pending.
  public var customMirror: Mirror {
    let entry = SelectorEntry.at(address)
    let isHere = transactions.thread == threadIdentity()
    return Mirror(
      self,
      showing: [("selector", "\(entry.targetType).\(entry.name)")]
        + (isHere ? [("isPending", isPending)] : [])
    )
  }
}

extension PortTransaction: CustomReflectable {
  /// Its selector.
  public var customMirror: Mirror {
    let entry = SelectorEntry.at(address)
    return Mirror(self, showing: [("selector", "\(entry.targetType).\(entry.name)")])
  }
}

extension Selector: CustomReflectable {
  /// Its name.
  public var customMirror: Mirror { Mirror(self, showing: [("name", name)]) }
}

extension Selector.Carrying: CustomReflectable {
  /// Its name.
  public var customMirror: Mirror { Mirror(self, showing: [("name", name)]) }
}
