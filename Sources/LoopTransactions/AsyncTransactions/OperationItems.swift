/// The operations of an async transaction in the order they were added, linked
/// through the items. Loop thread only.
struct OperationItems: ~Copyable {
  private var first: OperationItem?
  private var last: Unmanaged<OperationItem>?

  var isEmpty: Bool { first == nil }

  /// Appends `item`.
  mutating func append(_ item: OperationItem) {
    if let last {
      last._withUnsafeGuaranteedRef { $0.next = item }
    } else {
      first = item
    }
    last = .passUnretained(item)
  }

  /// Removes the first item and returns it.
  mutating func removeFirst() -> OperationItem? {
    guard let item = first else { return nil }
    first = item.next.take()
    if first == nil { last = nil }
    return item
  }

  /// Calls `body` with each item. `body` may append items.
  borrowing func forEach(_ body: (OperationItem) -> Void) {
    var each = first
    while let item = each {
      body(item)
      each = item.next
    }
  }
}
