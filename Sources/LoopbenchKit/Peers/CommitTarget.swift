import LoopTransactions

/// What the Swift peers of `commit` perform.
///
/// Its properties are not checked for exclusive access: the check costs several
/// times what is measured, and a baseline must not be slower than it has to be.
final class CommitTarget {
  static let perform = Selector<CommitTarget>("perform") { $0.perform() }

  @exclusivity(unchecked) var isPending = false
  @exclusivity(unchecked) private(set) var performed = 0

  @inline(never)
  func perform() {
    performed += 1
  }
}

extension ObjectList where Object == CommitTarget {
  /// The targets that every Swift peer of `commit` commits.
  static func commitTargets() -> ObjectList {
    ObjectList(count: CommitLoad.targets) { _ in CommitTarget() }
  }
}
