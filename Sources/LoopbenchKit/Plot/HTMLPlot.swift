extension Plot {
  /// A page with the tables of the reports and every kind of plot. It shows `kind`
  /// first. The page loads nothing from the network and contains no script.
  package func html() -> String {
    Markup.page(
      title: names,
      beginning: "<!DOCTYPE html>\n",
      style: PlotStyleSheet.text + Self.pageStyle + tabStyle
    ) { body(&$0) }
  }

  private var names: String { reports.map(\.name).joined(separator: ", ") }

  private func body(_ body: inout Markup) {
    body.element("h1", words: names)
    for kind in kinds {
      let checked = kind == self.kind ? " checked" : ""
      body.raw("<input type=\"radio\" name=\"tab\" id=\"tab-\(kind.rawValue)\"\(checked)>\n")
    }
    body.element("nav") { nav in
      for kind in kinds {
        nav.element("label", ["for": "tab-\(kind.rawValue)"], words: kind.title)
      }
    }
    body.line()
    for kind in kinds {
      body.element("section", ["id": "view-\(kind.rawValue)"]) { section in
        section.line()
        section.raw(picture(of: kind, withStyle: false))
      }
      body.line()
    }
    for (name, report) in reports { tables(name, report, in: &body) }
  }
}

extension Plot {
  private func tables(_ name: String, _ report: Report, in body: inout Markup) {
    body.element("h2", words: name)
    body.line()
    for line in report.headerParts {
      body.element("p", ["class": "facts"], words: line.joined(separator: " · "))
    }
    body.line()
    var style = ReportStyle()
    style.peers = options.peers
    for section in ReportSection.all(in: report.chosen(by: style), style: style) {
      body.element("h3", words: section.caption)
      for table in section.tables where table.results.contains(where: options.shows) {
        self.table(table, in: &body)
      }
    }
    for warning in report.warnings {
      body.element("p", words: "warning \(warning.id): \(warning.text); \(warning.hint)")
    }
  }

  private func table(_ series: SeriesTable, in body: inout Markup) {
    body.element("p", words: series.caption)
    body.line()
    if let table = series.table { self.table(table, in: &body) }
    for note in series.notes { body.element("p", words: note) }
    body.line()
  }

  private func table(_ table: TextTable, in body: inout Markup) {
    body.element("div", ["class": "wide"]) { div in
      div.element("table") { element in
        element.line()
        for (index, row) in table.usedCells.enumerated() {
          element.element("tr") { cells in
            for cell in row { cells.element(index == 0 ? "th" : "td", words: cell) }
          }
          element.line()
        }
      }
    }
    body.line()
  }
}

extension Plot {
  private var tabStyle: String {
    PlotKind.allCases.map { kind in
      let tab = "#tab-\(kind.rawValue)"
      return """
        \(tab):checked~#view-\(kind.rawValue){display:block}
        \(tab):checked~nav label[for=tab-\(kind.rawValue)]{border-color:currentColor;font-weight:bold}
        \(tab):focus-visible~nav label[for=tab-\(kind.rawValue)]{outline:2px solid}

        """
    }.joined()
  }

  private static let pageStyle =
    """
    body{margin:24px auto;max-width:1100px;padding:0 16px;background:#fff;color:#1d1d1f;
    font:15px/1.45 system-ui,"DejaVu Sans",sans-serif}
    h1{font-size:22px}h2{font-size:18px;margin-top:32px}h3{font-size:15px;margin:24px 0 0}
    input[name=tab]{position:absolute;opacity:0}section{display:none}
    nav{margin:12px 0}nav label{display:inline-block;padding:6px 14px;cursor:pointer;
    border-bottom:3px solid transparent}
    section svg{max-width:100%;height:auto}.facts{margin:2px 0;opacity:.75}.wide{overflow-x:auto}
    table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
    td,th{padding:3px 10px;text-align:right;border-bottom:1px solid #d8d8de;white-space:pre}
    td:first-child,th:first-child{text-align:left}td:last-child{font-family:monospace}
    @media(prefers-color-scheme:dark){body{background:#1c1c1e;color:#f2f2f7}
    td,th{border-color:#38383c}}

    """
}
