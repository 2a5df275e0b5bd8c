/// Objects that are visited without a retain and a release for each, which the
/// optimiser leaves in a loop over an array, and which cost more than a commit.
final class ObjectList<Object: AnyObject> {
  let count: Int
  private let items: UnsafeMutablePointer<Unmanaged<Object>>

  /// Keeps `count` objects that `make` is asked for, each told its place.
  init(count: Int, _ make: (Int) -> Object) {
    self.count = count
    items = .allocate(capacity: count)
    for index in 0..<count { (items + index).initialize(to: .passRetained(make(index))) }
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

  subscript(index: Int) -> Object { items[index].takeUnretainedValue() }
}
