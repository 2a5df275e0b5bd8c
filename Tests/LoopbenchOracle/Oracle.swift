import FoundationEssentials
import LoopbenchKit

/// Runs one command of loopbench-oracle, for Tests/Oracles.
struct Oracle {
  private let words: [String]

  init(_ words: [String]) {
    self.words = words
  }

  func answer() throws -> String {
    switch words.first {
    case "feed" where words.count == 2: try feed(words[1])
    case "report" where words.count == 3: try report(words[1], words[2])
    case "plot" where words.count > 3: try plot(words[1], words[2], Array(words.dropFirst(3)))
    case "schema": ReportSchema.text
    default: throw Question()
    }
  }

  private struct Question: Error {}

  /// Reads a file of doubles in native byte order, in ns.
  private func feed(_ path: String) throws -> String {
    let data = try Data(contentsOf: URL(filePath: path))
    let values = data.withUnsafeBytes { bytes in
      (0..<bytes.count / 8).map { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Double.self) }
    }
    return try ValuesPeer(values: values).report().json()
  }

  private func report(_ format: String, _ path: String) throws -> String {
    guard let format = ReportFormat(rawValue: format) else { throw Question() }
    return try ReportFile.read(path).rendered(as: format)
  }

  private func plot(_ kind: String, _ form: String, _ paths: [String]) throws -> String {
    guard let kind = PlotKind(rawValue: kind) else { throw Question() }
    let reports = try paths.map { path in
      (name: URL(filePath: path).lastPathComponent, report: try ReportFile.read(path))
    }
    let plot = Plot(reports: reports, kind: kind)
    switch form {
    case "svg": return plot.svg()
    case "html": return plot.html()
    default: return plot.terminal(width: 100, isASCII: form == "ascii")
    }
  }
}
