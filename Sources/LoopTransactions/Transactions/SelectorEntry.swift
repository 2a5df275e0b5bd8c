import Synchronization

/// The definition of a selector. There is one entry per target type and name.
/// Entries are never freed, so a selector consists of two words and copying it
/// counts no references.
@usableFromInline
final class SelectorEntry: Sendable {
  // The `OwnerWord` of the selector's transactions, or 0 before its first use.
  private let ownerWord = Atomic<UInt64>(0)

  /// An action with its target type erased.
  @usableFromInline typealias Action = @Sendable (AnyObject) throws -> Void

  /// An action that also receives the transaction's value.
  typealias ValueAction = @Sendable (AnyObject, ValueBox) throws -> Void

  /// Functions of a selector whose action is observed, called on the loop.
  struct Observation: Sendable {
    /// Called when a pair begins to wait for a clock's frame.
    let waitsForFrame: @Sendable (EventLoop, AnyObject, FrameClock) -> Void
    /// Ends the observation of a pair, which has the selector's number.
    let end: @Sendable (EventLoop, AnyObject, UInt32) -> Void
  }

  /// Part of a transaction's identity. Starts at 1.
  let number: UInt32
  let targetType: Any.Type
  let name: String
  /// The place where the selector that determined the action was created.
  let origin: SelectorOrigin?
  let action: Action
  let valueAction: ValueAction?
  /// The `MergeBox` of a selector that carries values.
  let merge: (AnyObject & Sendable)?
  /// Set if the action is observed.
  let observation: Observation?

  /// Creates an entry. Its transactions carry values if there is a
  /// `valueAction`.
  init(
    number: UInt32,
    targetType: Any.Type,
    name: String,
    origin: SelectorOrigin?,
    action: @escaping Action,
    valueAction: ValueAction? = nil,
    merge: (AnyObject & Sendable)? = nil,
    observation: Observation? = nil
  ) {
    self.number = number
    self.targetType = targetType
    self.name = name
    self.origin = origin
    self.action = action
    self.valueAction = valueAction
    self.merge = merge
    self.observation = observation
  }

  /// Names the selector's transactions, such as `Label.layout`.
  var owner: OwnerWord {
    // Acquire: pairs with the release in `makeOwner()`.
    let word = ownerWord.load(ordering: .acquiring)
    return _fastPath(word != 0) ? OwnerWord(rawValue: word) : makeOwner()
  }

  @inline(never)
  private func makeOwner() -> OwnerWord {
    let owner = OwnerWord(.transaction, WorkName("\(targetType).\(name)"))
    // Release: a thread that reads the word sees the name that it points to.
    ownerWord.store(owner.rawValue, ordering: .releasing)
    return owner
  }
}

/// The merge function of a selector that carries values.
final class MergeBox<Value>: Sendable {
  let body: @Sendable (Value, Value) -> Value

  /// Creates a box of `body`.
  init(_ body: @escaping @Sendable (Value, Value) -> Value) { self.body = body }
}

/// The value of a pending transaction, with its type erased.
class ValueBox {
  /// Whether the transaction is still pending.
  final var isPending = true
}

/// The value of a pending transaction.
final class TypedValueBox<Value>: ValueBox {
  private(set) var value: Value
  /// The number of changes of the value.
  private(set) var changes = 0

  /// Creates a box of `value`.
  init(_ value: Value) { self.value = value }

  /// Replaces the value.
  func change(to new: Value) {
    value = new
    changes += 1
  }
}
