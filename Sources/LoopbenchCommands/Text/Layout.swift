/// Plain text in lines of at most 80 columns.
package enum Layout {
  private static let width = 80

  /// `text` in lines that begin with `indent` spaces.
  package static func wrapped(_ text: String, indent: Int = 0) -> [String] {
    let start = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, indent + line.count + 1 + word.count > width {
        lines.append(start + line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    return line.isEmpty ? lines : lines + [start + line]
  }

  /// `text` with its paragraphs wrapped, and indented lines left as they are.
  package static func reflowed(_ text: String) -> [String] {
    var lines: [String] = []
    var paragraph: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.isEmpty || line.hasPrefix("  ") else {
        paragraph.append(line)
        continue
      }
      lines += wrapped(paragraph.joined(separator: " ")) + [String(line)]
      paragraph = []
    }
    return lines + wrapped(paragraph.joined(separator: " "))
  }

  /// Names with what they mean beside them, or below where a name is long.
  package static func rows(_ rows: [(name: String, summary: String)]) -> [String] {
    let widest = rows.map(\.name.count).filter { $0 <= 26 }.max() ?? 0
    return rows.flatMap { row in
      let summary = wrapped(row.summary, indent: widest + 4)
      let name = "  " + row.name
      guard row.name.count <= widest, let first = summary.first else { return [name] + summary }
      return [name + first.dropFirst(name.count)] + summary.dropFirst()
    }
  }

  /// Blocks of lines with an empty line between, ending in a newline.
  package static func blocks(_ blocks: [[String]]) -> String {
    blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }
      .joined(separator: "\n")
  }
}
