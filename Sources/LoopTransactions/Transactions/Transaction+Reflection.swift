extension TransactionSet: Unreflected {}
extension SelectorEntry: Unreflected {}

extension Transaction: CustomReflectable {
  /// Shows the selector and, on the loop's thread, whether the transaction is
  /// pending.
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
  /// Shows the selector.
  public var customMirror: Mirror {
    let entry = SelectorEntry.at(address)
    return Mirror(self, showing: [("selector", "\(entry.targetType).\(entry.name)")])
  }
}

extension Selector: CustomReflectable {
  /// Shows the name.
  public var customMirror: Mirror { Mirror(self, showing: [("name", name)]) }
}

extension Selector.Carrying: CustomReflectable {
  /// Shows the name.
  public var customMirror: Mirror { Mirror(self, showing: [("name", name)]) }
}
