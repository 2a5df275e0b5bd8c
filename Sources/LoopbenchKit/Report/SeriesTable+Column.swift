extension SeriesTable {
  /// A title, and a cell for each result.
  struct Column {
    let title: String
    let rank: Rank
    let cell: (Report.Result) -> String
  }

  /// What is left out first where there is no room, and what is kept longest.
  enum Rank: Int, CaseIterable {
    case picture
    case extra
    case otherReference
    case samples
    case ratioAtTail
    case otherPercentile
    case ratio
    case verdict
    /// The peer and its median, which every width has.
    case always
  }

  /// As many columns as fit into `style.width`, and those of `Rank.always`.
  var columns: [Column] {
    var columns = allColumns
    for rank in Rank.allCases where rank != .always {
      // From the right: of percentiles, the highest go first.
      while width(of: columns) > style.width ?? .max,
        let last = columns.lastIndex(where: { $0.rank == rank })
      {
        columns.remove(at: last)
      }
    }
    return columns
  }

  private func width(of columns: [Column]) -> Int {
    text(of: columns).lines(indent: Self.indent).map(\.count).max() ?? 0
  }

  func text(of columns: [Column]) -> TextTable {
    var table = TextTable(titles: columns.map(\.title))
    for result in results { table.add(columns.map { $0.cell(result) }) }
    return table
  }
}
