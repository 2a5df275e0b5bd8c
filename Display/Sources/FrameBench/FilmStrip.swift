import CardFeed

/// An SVG picture of the runs of several variants. It has a row per variant and
/// a cell per refresh, and follows the reader's light or dark colour scheme.
public struct FilmStrip: Sendable {
  /// The run of one variant.
  public struct Row: Sendable {
    /// The label of the row.
    public var name: String
    /// The recorded run.
    public var record: FrameRecord

    /// Creates a row of `record`.
    public init(name: String, record: FrameRecord) {
      self.name = name
      self.record = record
    }
  }

  private let title: String
  private let rows: [Row]

  private static let (left, top, cell, pitch, high) = (64, 44, 6, 34, 20)

  /// Creates a strip of `rows`.
  public init(title: String, rows: [Row]) {
    self.title = title
    self.rows = rows
  }

  /// The contents of the SVG file.
  public var svg: String {
    let longest = rows.map(\.record.refreshes.count).max() ?? 0
    let (width, height) = (
      Self.left + longest * Self.cell + 210, Self.top + rows.count * Self.pitch + 22
    )
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" "
        + "width=\"\(width)\" height=\"\(height)\" role=\"img\">",
      "<title>\(Self.escaped(title))</title>",
      Self.style,
      "<rect class=\"paper\" width=\"\(width)\" height=\"\(height)\"/>",
      Self.text(Self.left, 16, title),
      Self.text(
        Self.left,
        34,
        "green: new frame; amber: new frame with blank cards; red: dropped, no new frame"
      ),
    ]
    for (index, row) in rows.enumerated() {
      lines += strip(row, y: Self.top + index * Self.pitch)
    }
    lines.append(
      Self.text(Self.left, height - 6, "each cell is one refresh of the screen, 16.7 ms")
    )
    return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private func strip(_ row: Row, y: Int) -> [String] {
    var lines = [Self.text(8, y + 15, row.name)]
    // Merges equal neighbours into one rectangle to keep the file small.
    var (start, looks) = (0, row.record.refreshes.map(Self.look))
    looks.append("")
    for index in looks.indices.dropFirst() where looks[index] != looks[start] {
      let (x, width) = (Self.left + start * Self.cell, (index - start) * Self.cell)
      lines.append(
        "<rect class=\"\(looks[start])\" x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" "
          + "height=\"\(Self.high)\"/>"
      )
      start = index
    }
    let (dropped, count) = (row.record.dropped, row.record.refreshes.count)
    let blanks = row.record.tiles == 0 ? 0 : 100 * row.record.blanks / row.record.tiles
    let x = Self.left + count * Self.cell + 8
    return lines + [Self.text(x, y + 15, "\(dropped) of \(count) dropped, \(blanks) % blank")]
  }

  private static func look(_ refresh: FrameRecord.Refresh) -> String {
    guard refresh.isPresented else { return "dropped" }
    return refresh.blanks > 0 ? "blank" : "shown"
  }

  private static func text(_ x: Int, _ y: Int, _ text: String) -> String {
    "<text x=\"\(x)\" y=\"\(y)\">\(escaped(text))</text>"
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      default: result.append(character)
      }
    }
  }

  private static let style = """
    <style>
    svg { color-scheme: light dark }
    .paper { fill: #fff }
    text { font: 12px sans-serif; fill: #222 }
    .shown { fill: #3a9b52 } .blank { fill: #e0a526 } .dropped { fill: #c8342b }
    @media (prefers-color-scheme: dark) { .paper { fill: #16181c } text { fill: #ddd } }
    </style>
    """
}
