import LoopbenchKit

/// The files a command writes: opened before it measures, so that a path that
/// cannot be written is told at once.
struct RunFiles {
  private var files: [Entry] = []

  private struct Entry {
    let path: String
    let file: OutputFile
    let render: (Report) -> String
  }

  /// - Throws: `LoopbenchError` also for a file that is named twice.
  init(_ options: Options, style: ReportStyle, scenarios: [Scenario]) throws {
    if let path = options.output {
      try add(path) { $0.rendered(as: .json, style: ReportStyle(), scenarios: scenarios) }
    }
    for export in options.exports {
      var plain = style
      plain.usesColor = false
      plain.width = nil
      try add(export.path) { [plain] in
        $0.rendered(as: export.format, style: plain, scenarios: scenarios)
      }
    }
    if let path = options.plot {
      try add(path) { report in
        var options = PlotOptions()
        options.scenarios = scenarios
        let plot = Plot(
          reports: [(name: Self.name(path), report: report)],
          kind: .percentile,
          options: options
        )
        return path.hasSuffix(".svg") ? plot.svg() : plot.html()
      }
    }
  }

  /// Whether anything is to be written.
  var isEmpty: Bool { files.isEmpty }

  var paths: [String] { files.map(\.path) }

  private mutating func add(_ path: String, _ render: @escaping (Report) -> String) throws {
    let file = try Self.open(path)
    if let place = file.place, files.contains(where: { $0.file.place == place }) {
      throw LoopbenchError.usage(
        "two results cannot be written to one file, got \"\(path)\" twice"
      )
    }
    files.append(Entry(path: path, file: file, render: render))
  }

  /// The last part of a path.
  static func name(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  static func open(_ path: String) throws(LoopbenchError) -> OutputFile {
    do { return try OutputFile(path: path) } catch { throw .unwritable(path, error) }
  }

  /// Writes all of them, each whole or not at all.
  func save(_ report: Report) throws(LoopbenchError) {
    for entry in files { try Self.finish(entry.file, entry.path, entry.render(report)) }
  }

  static func finish(_ file: OutputFile, _ path: String, _ text: String) throws(LoopbenchError) {
    do { try file.finish(with: text) } catch { throw .unwritable(path, error) }
  }
}
