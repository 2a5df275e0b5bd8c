/// What of its reports a plot shows, and on what scale.
public struct PlotOptions: Sendable {
  /// The last percentile of a percentile plot or a histogram; `max` is all.
  public var to = Percentile.max
  /// Whether times are on a linear scale; else on a logarithmic one.
  public var isLinear = false
  /// Scenarios (`wake`) and series (`wake/across`) to show; empty is all.
  public var series: [String] = []
  /// Peers to show; empty is all.
  public var peers: [String] = []
  /// Where the descriptions come from.
  public var scenarios: [Scenario] = []

  /// Everything, on a logarithmic scale.
  public init() {}

  /// Whether a result is to be shown.
  func shows(_ result: Report.Result) -> Bool {
    let names = [result.scenario, "\(result.scenario)/\(result.series)"]
    return (series.isEmpty || names.contains(where: series.contains))
      && (peers.isEmpty || peers.contains(result.peer))
  }
}
