/// Targets that are visited without a retain and a release for each, which the
/// optimiser leaves in a loop over an array, and which cost more than the commit.
final class CommitTargets {
  let count: Int
  private let items: UnsafeMutablePointer<Unmanaged<CommitTarget>>

  init(count: Int) {
    self.count = count
    items = .allocate(capacity: count)
    for index in 0..<count { (items + index).initialize(to: .passRetained(CommitTarget())) }
  }

  deinit {
    for index in 0..<count { items[index].release() }
    items.deallocate()
  }

  @inline(__always)
  func forEach(_ body: (CommitTarget) -> Void) {
    let items = items
    for index in 0..<count { items[index]._withUnsafeGuaranteedRef { body($0) } }
  }

  /// How often the targets were performed, all together.
  var performed: Int {
    (0..<count).reduce(0) { $0 + items[$1].takeUnretainedValue().performed }
  }
}
