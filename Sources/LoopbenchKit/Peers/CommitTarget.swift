/// What the Swift baselines of `commit` perform.
///
/// Its properties are not checked for exclusive access: the check costs several
/// times what is measured, and a baseline must not be slower than it has to be.
final class CommitTarget {
  @exclusivity(unchecked) var isPending = false
  @exclusivity(unchecked) private(set) var performed = 0

  @inline(never)
  func perform() {
    performed += 1
  }
}
