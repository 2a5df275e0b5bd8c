/// The targets that a peer of `commit` commits.
typealias CommitTargets = ObjectList<CommitTarget>

extension ObjectList<CommitTarget> {
  /// `count` new targets.
  convenience init(count: Int) {
    self.init((0..<count).map { _ in CommitTarget() })
  }

  /// How often the targets were performed, all together.
  var performed: Int { all.reduce(0) { $0 + $1.performed } }
}
