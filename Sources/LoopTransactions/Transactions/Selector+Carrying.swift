extension Selector {
  /// A selector whose action receives a value.
  ///
  /// While a transaction is pending, each further commit brings another value.
  /// The selector keeps one of the values or merges them.
  ///
  /// ```swift
  /// static let scroll = Selector<List>.Carrying<Double>("scroll", merge: +) {
  ///   $0.scroll(by: $1)
  /// }
  /// ```
  ///
  /// Modelled on DispatchSource's data-add and data-or, for any type of value.
  public struct Carrying<Value>: Hashable, Sendable {
    let address: UInt
    let number: UInt32

    /// The value that a pending transaction keeps.
    public enum Keep: Hashable, Sendable {
      /// The value of the first commit.
      case first
      /// The value of the last commit.
      case last

      var merge: @Sendable (Value, Value) -> Value {
        switch self {
        case .first: { old, _ in old }
        case .last: { _, new in new }
        }
      }
    }

    /// Creates the selector called `name`, whose transactions keep one of their
    /// values.
    ///
    /// Call from any thread.
    @_disfavoredOverload
    public init(
      _ name: String,
      keep: Keep = .last,
      fileID: StaticString = #fileID,
      line: UInt = #line,
      _ action: @escaping @Sendable (Target, Value) throws -> Void
    ) {
      self.init(
        name,
        SelectorOrigin(fileID, line, RawClosure(action)),
        merge: keep.merge,
        onLoop: action
      )
    }

    /// Creates the selector called `name`, whose transactions merge their
    /// values.
    ///
    /// Call from any thread.
    ///
    /// - Parameters:
    ///   - merge: Combines the pending value and the new value. Called by the
    ///     commit, on the loop. Closing the loop in this closure traps.
    ///   - fileID: With `line`, the place where the selector is created; see
    ///     `Selector`.
    ///   - action: Called on the loop with the merged value.
    @_disfavoredOverload
    public init(
      _ name: String,
      merge: @escaping @Sendable (Value, Value) -> Value,
      fileID: StaticString = #fileID,
      line: UInt = #line,
      _ action: @escaping @Sendable (Target, Value) throws -> Void
    ) {
      self.init(
        name,
        SelectorOrigin(fileID, line, RawClosure(action)),
        merge: merge,
        onLoop: action
      )
    }

    // Has a name of its own, so that the compiler does not prefer an isolated
    // overload.
    init(
      _ name: String,
      _ origin: SelectorOrigin,
      merge: @escaping @Sendable (Value, Value) -> Value,
      onLoop action: @escaping @Sendable (Target, Value) throws -> Void
    ) {
      let entry = SelectorTable.entry(Carrying<Value>.self, name, origin) { number in
        SelectorEntry(
          number: number,
          targetType: Target.self,
          name: name,
          origin: origin,
          action: { _ in preconditionFailure("Selector.Carrying: performed without a value") },
          valueAction: { object, box in
            let value = unsafeDowncast(box, to: TypedValueBox<Value>.self).value
            try action(unsafeDowncast(object, to: Target.self), value)
          },
          merge: MergeBox(merge)
        )
      }
      address = UInt(addressOf: entry)
      number = entry.number
    }

    /// Returns the combination of the pending value `old` and `new`. The first
    /// selector created with the name determines how they are combined, as it
    /// determines the action.
    func join(_ old: Value, _ new: Value) -> Value {
      guard let merge = SelectorEntry.at(address).merge else { return new }
      return unsafeDowncast(merge, to: MergeBox<Value>.self).body(old, new)
    }

    /// The name of the selector.
    ///
    /// Read it on any thread.
    public var name: String { SelectorEntry.at(address).name }
  }
}
