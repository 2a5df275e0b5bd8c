/// The name of one action on a target of a certain class.
///
/// Two selectors with the same target type and name are the same selector,
/// wherever they are made; the one made first gives the action. A debug build reports
/// a second one that is made at another place in the source. Making one looks it up in
/// a table under a lock, so make it once, as a `static let` of the target's class.
///
/// ```swift
/// final class Label {
///   static let layout = Selector<Label>("layout") { $0.layOut() }
/// }
/// ```
///
/// After Objective-C's selectors. A class that is generic itself can not hold a
/// `static let`: keep its selectors in an enum beside it.
public struct Selector<Target: AnyObject>: Hashable, Sendable {
  // The address of an immortal entry, and its number.
  @usableFromInline let address: UInt
  @usableFromInline let number: UInt32

  /// The selector called `name`, which performs `action` unless one of that
  /// name was made before.
  ///
  /// Call from any thread.
  ///
  /// - Parameters:
  ///   - name: Distinguishes the actions of one class, and is told of failures.
  ///   - fileID: Where the selector is made, as is `line`. A debug build reports both
  ///     places on standard error, once, if the same name is used at two.
  ///   - action: Called on the loop. What it throws goes to the loop's error
  ///     handler.
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
      SelectorOrigin(fileID, line),
      erased: { object in try action(unsafeDowncast(object, to: Target.self)) }
    )
  }

  // Without an origin: the selector was made before.
  @usableFromInline
  init(_ name: String, _ origin: SelectorOrigin?, erased action: @escaping SelectorEntry.Action) {
    let entry = SelectorTable.entry(Target.self, name, origin) { number in
      SelectorEntry(
        number: number,
        targetType: Target.self,
        name: name,
        origin: origin,
        action: action
      )
    }
    address = UInt(bitPattern: Unmanaged.passUnretained(entry).toOpaque())
    number = entry.number
  }

  /// What the selector was called.
  ///
  /// Read it on any thread.
  public var name: String { SelectorEntry.at(address).name }
}

extension Selector: CustomStringConvertible {
  /// The target type and the name, such as `Label.layout`.
  public var description: String { "\(Target.self).\(name)" }
}

extension SelectorEntry {
  /// The entry at `address`, which a selector keeps.
  @inline(__always)
  static func at(_ address: UInt) -> SelectorEntry { unmanaged(at: address).takeUnretainedValue() }

  /// The entry at `address`, without counting a reference to it.
  @inline(__always)
  static func unmanaged(at address: UInt) -> Unmanaged<SelectorEntry> {
    .fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
  }
}
