/// The generic types of operations, by the type of the value that an operation
/// returns.
///
/// A cache. The runtime takes about 310 instructions to look up a generic type,
/// and this table 15. Loop thread only.
final class ItemTypes {
  private struct Entry {
    var value: ObjectIdentifier
    var item: AnyClass
    var outcome: any ItemOutcome.Type
  }

  private static let capacity = 8

  // Each type of value has one entry that it may occupy.
  private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)

  init() { entries.initialize(repeating: Self.entry(of: Void.self), count: Self.capacity) }

  deinit { entries.deallocate() }

  /// The class of an operation with a synchronous body that returns a `Value`.
  @inline(__always)
  func item<Value>(of type: Value.Type) -> ScheduledItem<Value>.Type {
    // Not a checked cast, which would look up the class.
    unsafeBitCast(entry(of: type).item, to: ScheduledItem<Value>.Type.self)
  }

  /// The outcome of an operation that returns a `Value`.
  @inline(__always)
  func outcome<Value>(of type: Value.Type) -> any ItemOutcome.Type {
    entry(of: type).outcome
  }

  @inline(__always)
  private func entry<Value>(of type: Value.Type) -> Entry {
    let value = ObjectIdentifier(type)
    // Metadata is aligned to 16 bytes.
    let index = Int(truncatingIfNeeded: UInt(bitPattern: value) >> 4) & (Self.capacity - 1)
    if _fastPath(entries[index].value == value) { return entries[index] }
    let entry = Self.entry(of: type)
    entries[index] = entry
    return entry
  }

  @inline(never)
  private static func entry<Value>(of type: Value.Type) -> Entry {
    Entry(
      value: ObjectIdentifier(type),
      item: ScheduledItem<Value>.self,
      outcome: AsyncTransaction.Outcome<Value>.self
    )
  }
}

/// The outcome of an operation. Its type is known as `Self`, and so is not looked up.
protocol ItemOutcome {
  /// Calls the completion of `item` with the value, the error, or `.cancelled`.
  static func complete(_ item: OperationItem, isCancelled: Bool)
}
