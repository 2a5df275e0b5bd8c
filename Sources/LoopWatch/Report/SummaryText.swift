import LoopbenchKit

extension WatchSummary {
  /// The summary as text: one line about all late holds, and a table of their causes.
  package func text(width: Int = .max) -> String {
    let lines = [possibleHold, headline] + table(width: width) + [distribution] + notes
    return lines.compactMap { $0.map { $0 + "\n" } }.joined()
  }

  package var headline: String {
    let limit = TimeText.duration(threshold)
    let span = TimeText.duration(length)
    let ticks = "\(ticks.grouped) \(ticks == 1 ? "tick" : "ticks")"
    let never = possibleHold == nil ? "never" : "otherwise never"
    guard count > 0 else { return "\(never) late over \(limit) in \(span); \(ticks)" }
    let share = length > 0 ? Int((Double(total) / Double(length) * 100).rounded()) : 0
    let times = count == 1 ? "once" : "\(count.grouped) times"
    return "late over \(limit): \(times) in \(span), \(TimeText.duration(total)) in all, "
      + "worst \(TimeText.duration(worst)); \(ticks), \(share) % of the time late"
  }

  /// The rows of the report, which has room on one screen.
  package var shownRows: ArraySlice<Row> { sortedRows.prefix(20) }

  /// A line for each of `shownRows`, and a line for the others. Descriptions are cut so
  /// that the lines have at most `width` characters, if possible.
  package func table(width: Int) -> [String] {
    let rows = shownRows
    let (lines, rest) = (lines(rows, width: width), sortedRows.dropFirst(rows.count))
    guard !rest.isEmpty else { return lines }
    let time = TimeText.duration(rest.reduce(0) { $0 + $1.time })
    return lines + ["  and \(rest.count.grouped) more rows, \(time) in all"]
  }

  private func lines(_ rows: some Collection<Row>, width: Int) -> [String] {
    let hasOneLoop = Set(rows.map(\.thread)).count < 2
    let cells = rows.map { row in
      let description = description(of: row)
      return [
        TimeText.duration(row.time), row.cause.rawValue,
        hasOneLoop ? description : "\(row.thread): \(description)",
        row.count == 0 ? "" : row.count == 1 ? "once" : "\(row.count.grouped) times",
        row.count == 0 ? "" : "worst \(TimeText.duration(row.worst))" + events(of: row) + open(row),
      ].map(\.printable)
    }
    var widths = (0..<5).map { column in cells.map { $0[column].count }.max() ?? 0 }
    // 2 spaces before each column.
    let others = widths.reduce(0, +) - widths[2] + 10
    widths[2] = min(widths[2], max(width - others, 20))
    return cells.map { row in
      let left = "  " + row[0].padded(to: widths[0], isLeft: false) + "  "
      let middle = row[1].padded(to: widths[1], isLeft: true) + "  "
      let name = row[2].clipped(to: widths[2]).padded(to: widths[2], isLeft: true) + "  "
      let right =
        row[3].padded(to: widths[3], isLeft: false) + "  "
        + row[4].padded(to: widths[4], isLeft: true)
      return (left + middle + name + right).trimmingEnd
    }
  }

  /// `, 180 events each`: many short callbacks, not a long one. Empty if most holds had
  /// one event.
  private func events(of row: Row) -> String {
    let mean = row.events / row.count
    guard mean >= 2 else { return "" }
    return ", \(mean.grouped) events" + (row.count == 1 ? "" : " each")
  }

  /// `, held for 2.7 s so far`; empty if no hold of the row goes on.
  private func open(_ row: Row) -> String {
    row.open == 0 ? "" : ", held for \(TimeText.duration(row.open)) so far"
  }

  package func description(of row: Row) -> String {
    row.cause == .waiting ? neighbours : row.description
  }

  /// `all holds: p50 0.2 ms, p99 42 ms, worst 112 ms`; nil if no hold has ended.
  package var distribution: String? {
    guard lengths.count > 0 else { return nil }
    let values = [("p50", lengths.value(at: .p50)), ("p99", lengths.value(at: .p99))]
    let texts = (values + [("worst", lengths.max)]).map { name, value in
      "\(name) \(TimeText.duration(UInt64(value)))"
    }
    return "all holds: " + texts.joined(separator: ", ")
  }

  private var notes: [String] {
    let hints = nameHints.map(\.text).sorted().map { "note: \($0)" }
    guard lost > 0 else { return hints }
    return ["note: \(lost.grouped) ticks were too fast to be read, so holds may be missing"] + hints
  }
}

extension String {
  /// The text with at most `width` characters.
  package func clipped(to width: Int) -> String {
    count > width ? prefix(max(width - 1, 0)) + "…" : self
  }
}

extension TimeText {
  /// The time with the digits that a reader needs: `1.9 s`, `212 ms`, `8 ms`.
  package static func duration(_ nanoseconds: UInt64) -> String {
    let value = Double(nanoseconds)
    if value >= 99.5e9 { return Decimals.text(value / 1e9, digits: 0) + " s" }
    if value >= 0.9995e9 {
      return Decimals.shortest((value / 1e8).rounded() / 10) + " s"
    }
    if value >= 9.95e6 { return Decimals.text(value / 1e6, digits: 0) + " ms" }
    if value >= 0.0995e6 { return Decimals.shortest((value / 1e5).rounded() / 10) + " ms" }
    return Decimals.text(value / 1e3, digits: 0) + " us"
  }
}

extension TimeText {
  /// The date and time of a number of seconds since 1970: `2026-11-28T18:03:12Z`.
  package static func date(_ seconds: UInt64) -> String {
    let (days, rest) = (Int(seconds / 86_400), Int(seconds % 86_400))
    // Years begin in March, so that a leap day is the last of its year. 719468 days of
    // the calendar precede 1970.
    let (era, day) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let parts = [
      month, dayOfYear - (153 * march + 2) / 5 + 1, rest / 3600, rest / 60 % 60, rest % 60,
    ]
    let two = parts.map { $0 < 10 ? "0\($0)" : "\($0)" }
    return "\(year)-\(two[0])-\(two[1])T\(two[2]):\(two[3]):\(two[4])Z"
  }
}

extension BinaryInteger {
  /// The number with commas between groups of three digits.
  package var grouped: String {
    var (digits, text) = (String(self), "")
    while digits.count > 3 {
      text = "," + digits.suffix(3) + text
      digits.removeLast(3)
    }
    return digits + text
  }
}
