/// What a selector stands for: made once per target type and name, never freed.
///
/// Immortal, so that a selector is two words that are copied without counting
/// references.
@usableFromInline
final class SelectorEntry: Sendable {
  /// An action, told its target in the most general form.
  @usableFromInline typealias Action = @Sendable (AnyObject) throws -> Void

  /// An action that is told the value of its transaction too.
  typealias ValueAction = @Sendable (AnyObject, ValueBox) throws -> Void

  /// Part of a transaction's identity; from 1 on.
  let number: UInt32
  let targetType: Any.Type
  let name: String
  /// Where the selector was made that gave the action.
  let origin: SelectorOrigin?
  let action: Action
  let valueAction: ValueAction?
  /// The `MergeBox` of a selector that carries values.
  let merge: (AnyObject & Sendable)?

  /// An entry whose transactions carry values if there is a `valueAction`.
  init(
    number: UInt32,
    targetType: Any.Type,
    name: String,
    origin: SelectorOrigin?,
    action: @escaping Action,
    valueAction: ValueAction? = nil,
    merge: (AnyObject & Sendable)? = nil
  ) {
    self.number = number
    self.targetType = targetType
    self.name = name
    self.origin = origin
    self.action = action
    self.valueAction = valueAction
    self.merge = merge
  }
}

/// How two values of a certain type become one.
final class MergeBox<Value>: Sendable {
  let body: @Sendable (Value, Value) -> Value

  /// Keeps `body`.
  init(_ body: @escaping @Sendable (Value, Value) -> Value) { self.body = body }
}

/// A value that waits with a transaction.
class ValueBox {
  /// Whether its transaction waits still.
  final var isPending = true
}

/// A value of a certain type that waits with a transaction.
final class TypedValueBox<Value>: ValueBox {
  private(set) var value: Value
  /// How often the value was changed.
  private(set) var changes = 0

  /// Keeps `value`.
  init(_ value: Value) { self.value = value }

  /// Keeps `new` in place of the value.
  func change(to new: Value) {
    value = new
    changes += 1
  }
}
