/// Objects that are visited without a retain and a release for each, which the
/// optimiser leaves in a loop over an array, and which cost more than a commit.
final class ObjectList<Object: AnyObject> {
  let count: Int
  private let items: UnsafeMutablePointer<Unmanaged<Object>>

  init(_ objects: [Object]) {
    count = objects.count
    items = .allocate(capacity: max(count, 1))
    for (index, object) in objects.enumerated() {
      (items + index).initialize(to: .passRetained(object))
    }
  }

  deinit {
    for index in 0..<count { items[index].release() }
    items.deallocate()
  }

  @inline(__always)
  func forEach(_ body: (Object) -> Void) {
    let items = items
    for index in 0..<count { items[index]._withUnsafeGuaranteedRef { body($0) } }
  }

  /// The objects as an array.
  var all: [Object] { (0..<count).map { items[$0].takeUnretainedValue() } }
}
