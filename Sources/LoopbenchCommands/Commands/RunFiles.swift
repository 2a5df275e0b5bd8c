import LoopbenchKit

/// The files that a command writes. They are opened before it measures, so that an
/// unwritable path is reported immediately.
struct RunFiles {
  private var files: [Entry] = []

  private struct Entry {
    let path: String
    let file: OutputFile
    let render: (Report) -> String
  }

  /// - Throws: `LoopbenchError` if a file cannot be opened or is named twice.
  init(_ options: Options, style: ReportStyle) throws {
    if let path = options.output {
      try add(path) { $0.json() }
    }
    for export in options.exports {
      var plain = style
      plain.usesColor = false
      plain.width = nil
      try add(export.path) { [plain] in $0.rendered(as: export.format, style: plain) }
    }
    if let path = options.plot {
      try add(path) { report in
        let reports = [(name: Self.name(path), report: report)]
        return Plot(reports: reports, kind: .percentile).picture(for: path)
      }
    }
  }

  /// Whether there is no file to write.
  var isEmpty: Bool { files.isEmpty }

  var paths: [String] { files.map(\.path) }

  private mutating func add(_ path: String, _ render: @escaping (Report) -> String) throws {
    let file = try Self.open(path)
    if let place = file.place, files.contains(where: { $0.file.place == place }) {
      throw LoopbenchError.usage("each result needs its own file, got \"\(path)\" twice")
    }
    files.append(Entry(path: path, file: file, render: render))
  }

  /// The last component of a path.
  static func name(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  static func open(_ path: String) throws(LoopbenchError) -> OutputFile {
    do { return try OutputFile(path: path) } catch { throw .unwritable(path, error) }
  }

  /// Writes all files. Each file is written atomically.
  func save(_ report: Report) throws(LoopbenchError) {
    for entry in files { try Self.finish(entry.file, entry.path, entry.render(report)) }
  }

  static func finish(_ file: OutputFile, _ path: String, _ text: String) throws(LoopbenchError) {
    do { try file.finish(with: text) } catch { throw .unwritable(path, error) }
  }
}
