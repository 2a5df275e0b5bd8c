/// The colours of plots, light and dark.
enum PlotStyleSheet {
  private static let light = [
    "#0072b2", "#d55e00", "#007a5a", "#b0488a", "#a86a00", "#2f8fc4", "#5c5c5c", "#7a4fbf",
  ]
  private static let dark = [
    "#56b4e9", "#ff8c42", "#2ec79b", "#e79bc6", "#f0c24b", "#8fd0ff", "#b8b8b8", "#b79cf0",
  ]

  /// Plain colours rather than variables: not every viewer knows those.
  static let text =
    """
    .lb{background:#fff;font:12px "DejaVu Sans",system-ui,sans-serif}
    .lb text{fill:#1d1d1f}.lb .soft{fill:#5f5f66}.lb .head{font-weight:bold;font-size:14px}
    .lb .grid{stroke:#e2e2e7}.lb .edge{stroke:#8e8e93}.lb .lead{stroke:#b8b8bf}
    .lb .line{fill:none;stroke-width:2;stroke-linejoin:round}.lb .thin{stroke-width:1.2}
    .lb .open{fill:#fff;stroke-width:1.6}.lb .area{fill-opacity:.22;stroke:none}
    .lb .band{fill:#8e8e93;fill-opacity:.14}.lb .paper{fill:#fff}
    \(rules(light))
    @media(prefers-color-scheme:dark){.lb{background:#1c1c1e}.lb .paper{fill:#1c1c1e}
    .lb text{fill:#f2f2f7}.lb .soft{fill:#a1a1a9}.lb .grid{stroke:#38383c}
    .lb .edge{stroke:#8e8e93}.lb .lead{stroke:#5c5c62}.lb .open{fill:#1c1c1e}
    \(rules(dark))}

    """

  private static func rules(_ colors: [String]) -> String {
    colors.enumerated().map { index, color in
      ".lb .s.c\(index){stroke:\(color)}.lb .f.c\(index){fill:\(color)}"
    }.joined(separator: "\n")
  }
}
