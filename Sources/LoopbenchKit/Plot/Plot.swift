/// A picture of one or more reports: a panel for each series, a curve for each
/// peer of each report.
///
/// ```swift
/// let plot = Plot(reports: [("before", old), ("after", new)], kind: .percentile)
/// print(plot.terminal(width: 80, isASCII: false))
/// ```
public struct Plot {
  let reports: [(name: String, report: Report)]
  let kind: PlotKind
  let options: PlotOptions

  /// Makes a plot.
  ///
  /// - Parameter reports: With the name that tells each from the others.
  public init(
    reports: [(name: String, report: Report)],
    kind: PlotKind,
    options: PlotOptions = PlotOptions()
  ) {
    self.reports = reports
    self.kind = kind
    self.options = options
  }

  /// Whether there is nothing to show: no report has what was asked for.
  public var isEmpty: Bool { panels.isEmpty }

  /// An SVG picture, light or dark as the reader's system is.
  public func svg() -> String {
    SVGPlot(panels: panels, kind: kind, options: options).document()
  }

  /// A page with the tables and all kinds of plot, this one shown first. It needs
  /// no network and no script.
  public func html() -> String {
    HTMLPlot(self).document()
  }

  /// Text for a terminal.
  ///
  /// - Parameters:
  ///   - width: In characters.
  ///   - isASCII: Whether nothing beyond ASCII is written.
  public func terminal(width: Int, isASCII: Bool) -> String {
    let panels = panels.map {
      TerminalPanel($0, kind: kind, options: options, width: width, isASCII: isASCII).text()
    }
    let text = panels.isEmpty ? "nothing to plot\n" : panels.joined(separator: "\n")
    return (isASCII ? ASCII.text(text) : text).printable
  }

  /// One for each series, in the order of the reports.
  var panels: [PlotPanel] {
    let names = reports.flatMap { $0.report.results }.filter(options.shows)
      .map { PlotPanel.Name(scenario: $0.scenario, series: $0.series) }.uniqued()
    return names.map { PlotPanel($0, reports: reports, options: options) }
  }
}
