import Synchronization

/// All selectors of the process, by target type and name.
enum SelectorTable {
  private struct Key: Hashable {
    let type: ObjectIdentifier
    let name: String
  }

  private struct State {
    var entries: [Key: SelectorEntry] = [:]
    var observing: [SelectorEntry] = []
    var reported: Set<String> = []
  }

  private static let state = Locked(State())

  /// The selectors whose actions are observed.
  static var observing: [SelectorEntry] { state.withLock { $0.observing } }

  /// Returns the entry for `name` on `type`. Creates the entry with `make` if
  /// it does not exist.
  ///
  /// Call from any thread. A debug build reports a selector that is created at
  /// two places, or with other captured values.
  static func entry(
    _ type: Any.Type,
    _ name: String,
    _ origin: SelectorOrigin?,
    make: (_ number: UInt32) -> SelectorEntry
  ) -> SelectorEntry {
    let (entry, isNew) = state.withLock { state in
      let key = Key(type: ObjectIdentifier(type), name: name)
      if let entry = state.entries[key] { return (entry, false) }
      let entry = make(UInt32(state.entries.count + 1))
      state.entries[key] = entry
      if entry.observation != nil { state.observing.append(entry) }
      return (entry, true)
    }
    #if DEBUG
      // Without the lock, because captured values are compared with their `==`.
      if !isNew, let origin { report(SelectorConflict(entry, origin)) }
    #endif
    return entry
  }

  private static func report(_ conflict: SelectorConflict?) {
    guard let conflict else { return }
    let isFirst = state.withLock { $0.reported.insert(conflict.key).inserted }
    if isFirst { System.logToStandardError(conflict.message) }
  }
}

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
    /// Ends the observation of a pair.
    let end: @Sendable (EventLoop, TransactionPair) -> Void
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

/// The place in the source where a selector is created, and its action.
@usableFromInline
struct SelectorOrigin: Sendable {
  let fileID: StaticString
  let line: UInt
  let action: RawClosure

  @usableFromInline
  init(_ fileID: StaticString, _ line: UInt, _ action: RawClosure) {
    self.fileID = fileID
    self.line = line
    self.action = action
  }

  /// Whether the place is the same as that of `other`.
  func isPlace(of other: SelectorOrigin) -> Bool {
    guard line == other.line else { return false }
    // Two modules may contain separate literals with the same text.
    return fileID.utf8Start == other.fileID.utf8Start
      || fileID.description == other.fileID.description
  }
}

extension SelectorOrigin: CustomStringConvertible {
  @usableFromInline var description: String { "\(fileID):\(line)" }
}

/// Two selectors with one name whose actions may differ.
struct SelectorConflict {
  /// Equal for conflicts that are reported once.
  let key: String
  let message: String

  /// Creates a conflict if `entry` was created at another place than `origin`, or
  /// with other captured values. The caller retains the action of `origin`.
  init?(_ entry: SelectorEntry, _ origin: SelectorOrigin) {
    guard let first = entry.origin else { return nil }
    let selector = "Selector \(entry.targetType).\(entry.name)"
    if !first.isPlace(of: origin) {
      key = "\(entry.number) \(origin)"
      message = """
        \(selector): made at \(first) and at \(origin), but only the first action is \
        performed; rename one, or use the first selector in both places
        """
    } else if !first.action.isSame(as: origin.action) {
      key = "\(entry.number)"
      message = """
        \(selector): made again at \(origin) with an action that captures other values, but \
        only the first action is performed; use a Selector.Carrying that receives the values, or \
        make them part of the name
        """
    } else {
      return nil
    }
  }
}

extension SelectorEntry {
  /// Returns the entry at `address`, which is never freed.
  @inline(__always)
  static func at(_ address: UInt) -> SelectorEntry { unmanaged(at: address).takeUnretainedValue() }

  /// Returns the entry at `address`, without retaining it.
  @inline(__always)
  static func unmanaged(at address: UInt) -> Unmanaged<SelectorEntry> {
    .at(address)
  }
}
