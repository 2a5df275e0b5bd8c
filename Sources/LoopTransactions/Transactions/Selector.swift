/// The name of an action on targets of a certain class.
///
/// Selectors with the same target type and name are equal, wherever they are
/// created. The first selector that is created determines the action. A debug
/// build reports a second selector that is created at another place in the
/// source, or whose action captures other values. Creating a selector looks it up
/// in a table under a lock, so create it once, as a `static let` of the target's
/// class.
///
/// ```swift
/// final class Label {
///   static let layout = Selector<Label>("layout") { $0.layOut() }
///   func layOut() {}
/// }
/// ```
///
/// Modelled on Objective-C's selectors. A generic class cannot have a `static
/// let`, so keep its selectors in an enum beside it.
public struct Selector<Target: AnyObject>: Hashable, Sendable {
  // The address of an entry that is never freed, and the entry's number.
  @usableFromInline let address: UInt
  @usableFromInline let number: UInt32

  /// Creates the selector called `name`, which performs `action` unless a
  /// selector with this name was created before.
  ///
  /// Call from any thread.
  ///
  /// - Parameters:
  ///   - name: Distinguishes the actions of one class. Appears in error
  ///     reports.
  ///   - fileID: With `line`, the place where the selector is created. If a
  ///     name is used at two places, a debug build reports both on standard
  ///     error, once. It also reports a place that creates a selector again with
  ///     other captured values, as far as it can compare them: pass such values
  ///     to a `Selector.Carrying`, or make them part of the name.
  ///   - line: See `fileID`.
  ///   - action: Called on the loop. An error that it throws is passed to the
  ///     loop's error handler.
  @_disfavoredOverload
  @inlinable
  public init(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ action: @escaping @Sendable (Target) throws -> Void
  ) {
    self.init(
      name,
      SelectorOrigin(fileID, line, RawClosure(action)),
      erased: { object in try action(unsafeDowncast(object, to: Target.self)) }
    )
  }

  // `origin` is nil for a selector that was created before.
  @usableFromInline
  init(_ name: String, _ origin: SelectorOrigin?, erased action: @escaping SelectorEntry.Action) {
    self.init(name, origin, erased: action, observation: nil)
  }

  init(
    _ name: String,
    _ origin: SelectorOrigin?,
    erased action: @escaping SelectorEntry.Action,
    observation: SelectorEntry.Observation?
  ) {
    let entry = SelectorTable.entry(Target.self, name, origin) { number in
      SelectorEntry(
        number: number,
        targetType: Target.self,
        name: name,
        origin: origin,
        action: action,
        observation: observation
      )
    }
    address = UInt(addressOf: entry)
    number = entry.number
  }

  /// The name of the selector.
  ///
  /// Read it on any thread.
  public var name: String { SelectorEntry.at(address).name }
}

extension Selector: CustomStringConvertible {
  /// The target type and the name, such as `Label.layout`.
  public var description: String { "\(Target.self).\(name)" }
}

/// A target and a selector, which identify a transaction: three words, so that
/// a commit passes them in registers.
///
/// The target is not retained.
@usableFromInline
@frozen
struct TransactionPair: Hashable, Sendable {
  /// The address of the target.
  @usableFromInline let target: UInt
  /// The address of the selector's `SelectorEntry`, which is never freed.
  @usableFromInline let selector: UInt
  /// The number of the selector's entry. Also here, because a commit would
  /// otherwise load it.
  @usableFromInline let number: UInt32

  @inlinable
  @inline(__always)
  init(target: UInt, selector: UInt, number: UInt32) {
    self.target = target
    self.selector = selector
    self.number = number
  }

  /// The pair of `target`, which the caller keeps alive, and `selector`.
  @inlinable
  @inline(__always)
  init<Target>(_ target: Target, _ selector: Selector<Target>) {
    self.init(
      target: UInt(addressOf: target),
      selector: selector.address,
      number: selector.number
    )
  }

  /// The pair of `target`, which the caller keeps alive, and `selector`.
  @inline(__always)
  init<Target, Value>(_ target: Target, _ selector: Selector<Target>.Carrying<Value>) {
    self.init(
      target: UInt(addressOf: target),
      selector: selector.address,
      number: selector.number
    )
  }

  /// The hash of the pair's entries.
  @inline(__always)
  var hash: UInt64 { TransactionSet.List.hash(target, number) }

  /// Retains the target.
  @inline(__always)
  func retainTarget() { _ = KeyedObject.at(target).retain() }

  /// Releases the target.
  @inline(__always)
  func releaseTarget() { KeyedObject.at(target).release() }

  /// Calls `body` with the selector's entry.
  @inline(__always)
  func withEntry<Result>(_ body: (SelectorEntry) -> Result) -> Result {
    SelectorEntry.unmanaged(at: selector)._withUnsafeGuaranteedRef(body)
  }
}
