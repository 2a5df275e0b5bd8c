import LoopbenchKit

/// The screen of a watch in a terminal: the summary, and a selected row whose stack can
/// be opened.
package struct LiveView: Equatable, Sendable {
  /// The selected row.
  package private(set) var selected = 0
  package private(set) var isOpen = false
  package private(set) var isPaused = false

  package init() {}

  /// A request of a key to the watch.
  package enum Request: Equatable, Sendable {
    case quit, reset
  }

  /// Handles the bytes of keys. Returns what the watch must do.
  package mutating func press(_ keys: some Sequence<UInt8>, rows: Int) -> Request? {
    let text = String(decoding: Array(keys), as: UTF8.self)
    switch text {
    case "q", "\u{3}", "\u{4}": return .quit
    case "r":
      (selected, isOpen) = (0, false)
      return .reset
    case "p": isPaused.toggle()
    case "\u{1b}[A", "k": selected = max(selected - 1, 0)
    case "\u{1b}[B", "j": selected = max(min(selected + 1, rows - 1), 0)
    case "\u{1b}[C", "\r", "\n": isOpen = true
    case "\u{1b}[D": isOpen = false
    default: break
    }
    return nil
  }

  /// The lines of the screen.
  package func lines(_ summary: WatchSummary, title: String, width: Int, height: Int) -> [String] {
    var lines = [title.printable, summary.headline, summary.distribution ?? ""]
    if let possible = summary.possibleHold { lines.insert(possible, at: 1) }
    let rows = summary.shownRows
    for (index, line) in summary.table(width: width).enumerated() {
      lines.append((index == selected ? ">" : " ") + line.dropFirst())
      guard index == selected, isOpen, index < rows.count else { continue }
      let stack = rows[index].stack
      lines += stack.map(\.description).folded.map { "      " + $0.printable }
      if stack.isEmpty { lines.append("      no stack was captured") }
    }
    let keys = "q quit  p \(isPaused ? "go on" : "pause")  r reset  arrows select and open"
    return lines.prefix(max(height - 1, 1)).map { $0.clipped(to: width) } + [
      keys.clipped(to: width)
    ]
  }
}
