import LoopbenchKit

extension Registry {
  /// Every series of every scenario, those that have to be named too.
  ///
  /// - Parameter peers: The names of those that are wanted; `nil` means all.
  func everything(
    peers: [String]? = nil
  ) throws(SelectionError) -> (contenders: [Contender], warnings: [Report.Warning]) {
    var (contenders, warnings): ([Contender], [Report.Warning]) = ([], [])
    for scenario in scenarios {
      let its = self.peers(of: scenario).map(\.name)
      let wanted = peers.map { $0.filter(its.contains) } ?? [Selection.all]
      guard !wanted.isEmpty else { continue }
      let selection = try Selection(
        from: self,
        scenarios: [scenario.name],
        peers: wanted,
        placement: .detect(),
        twins: .never
      )
      contenders += selection.contenders
      warnings += selection.warnings
    }
    return (contenders, warnings)
  }
}
