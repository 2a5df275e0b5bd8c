/// The generic types of operations, by the type of the value that an operation
/// returns.
///
/// A cache, because the runtime takes about 310 instructions to look up a generic
/// type. Loop thread only.
final class ItemTypes {
  private struct Entry {
    var value: ObjectIdentifier
    var item: AnyClass?
    var outcome: (any ItemOutcome.Type)?
  }

  private static let capacity = 8

  // Each type of value has one entry that it may occupy.
  private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)

  init() {
    entries.initialize(repeating: Entry(value: ObjectIdentifier(Void.self)), count: Self.capacity)
  }

  deinit { entries.deallocate() }

  /// The class of an operation with a synchronous body that returns a `Value`.
  @inline(__always)
  func item<Value>(of type: Value.Type) -> ScheduledItem<Value>.Type {
    let entry = entry(of: type)
    let item: AnyClass = entry.pointee.item ?? Self.findItem(of: type, entry)
    // Not a checked cast, which would look up the class.
    return unsafeBitCast(item, to: ScheduledItem<Value>.Type.self)
  }

  /// The outcome of an operation that returns a `Value`.
  @inline(__always)
  func outcome<Value>(of type: Value.Type) -> any ItemOutcome.Type {
    let entry = entry(of: type)
    return entry.pointee.outcome ?? Self.findOutcome(of: type, entry)
  }

  @inline(__always)
  private func entry<Value>(of type: Value.Type) -> UnsafeMutablePointer<Entry> {
    let value = ObjectIdentifier(type)
    // Metadata is aligned to 8 bytes.
    let index = Int(truncatingIfNeeded: UInt(bitPattern: value) >> 3) & (Self.capacity - 1)
    let entry = entries + index
    if _slowPath(entry.pointee.value != value) { entry.pointee = Entry(value: value) }
    return entry
  }

  @inline(never)
  private static func findItem<Value>(
    of type: Value.Type,
    _ entry: UnsafeMutablePointer<Entry>
  ) -> AnyClass {
    let item = ScheduledItem<Value>.self
    entry.pointee.item = item
    return item
  }

  @inline(never)
  private static func findOutcome<Value>(
    of type: Value.Type,
    _ entry: UnsafeMutablePointer<Entry>
  ) -> any ItemOutcome.Type {
    let outcome = AsyncTransaction.Outcome<Value>.self
    entry.pointee.outcome = outcome
    return outcome
  }
}

/// The outcome of an operation. Its type is known as `Self`, and so is not looked up.
protocol ItemOutcome {
  /// Calls the completion of `item` with the value, the error, or `.cancelled`.
  static func complete(_ item: OperationItem, isCancelled: Bool)
}
