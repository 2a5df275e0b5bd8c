extension Selector {
  /// The name of an action that is told a value.
  ///
  /// While a transaction is pending, further commits of it bring further values:
  /// the selector says which is kept, or how they are merged.
  ///
  /// ```swift
  /// static let scroll = Selector<List>.Carrying<Double>("scroll", merge: +) { list, distance in
  ///   list.scroll(by: distance)
  /// }
  /// ```
  ///
  /// After DispatchSource's add and or, for any value.
  public struct Carrying<Value>: Hashable, Sendable {
    let address: UInt
    let number: UInt32

    /// Which of several values a pending transaction keeps.
    public enum Keep: Hashable, Sendable {
      /// The first commit's.
      case first
      /// The last commit's.
      case last

      var merge: @Sendable (Value, Value) -> Value {
        switch self {
        case .first: { old, _ in old }
        case .last: { _, new in new }
        }
      }
    }

    /// The selector called `name`, whose transactions keep one of their values.
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
      self.init(name, SelectorOrigin(fileID, line), merge: keep.merge, onLoop: action)
    }

    /// The selector called `name`, whose transactions merge their values.
    ///
    /// Call from any thread.
    ///
    /// - Parameters:
    ///   - merge: Makes one value of that which waits and that which comes.
    ///     Called on the loop, by the commit; closing the loop inside traps.
    ///   - fileID: As of any selector, and so is `line`.
    ///   - action: Called on the loop with the merged value.
    @_disfavoredOverload
    public init(
      _ name: String,
      merge: @escaping @Sendable (Value, Value) -> Value,
      fileID: StaticString = #fileID,
      line: UInt = #line,
      _ action: @escaping @Sendable (Target, Value) throws -> Void
    ) {
      self.init(name, SelectorOrigin(fileID, line), merge: merge, onLoop: action)
    }

    // Under names of its own, which no isolated one is preferred to.
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
          action: { _ in preconditionFailure("Selector.Carrying: a value waits with each commit") },
          valueAction: { object, box in
            let value = unsafeDowncast(box, to: TypedValueBox<Value>.self).value
            try action(unsafeDowncast(object, to: Target.self), value)
          },
          merge: MergeBox(merge)
        )
      }
      address = UInt(bitPattern: Unmanaged.passUnretained(entry).toOpaque())
      number = entry.number
    }

    /// What `old`, which waits, and `new` are joined to. The first selector of
    /// the name says how, as it says what is performed.
    func join(_ old: Value, _ new: Value) -> Value {
      guard let merge = SelectorEntry.at(address).merge else { return new }
      return unsafeDowncast(merge, to: MergeBox<Value>.self).body(old, new)
    }

    /// What the selector was called.
    ///
    /// Read it on any thread.
    public var name: String { SelectorEntry.at(address).name }
  }
}
