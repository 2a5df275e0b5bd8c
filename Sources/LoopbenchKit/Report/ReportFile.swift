package import FoundationEssentials

/// A report in a file.
package enum ReportFile {
  /// Reads the report at `path`; `-` is standard input.
  ///
  /// - Parameter onlyRegular: Whether `path` must be a regular file. A file that somebody
  ///   else may have put there must not block.
  /// - Throws: `LoopbenchError`, which says what to do.
  package static func read(
    _ path: String,
    onlyRegular: Bool = false
  ) throws(LoopbenchError) -> Report {
    try decode(try contents(of: path, onlyRegular), from: path)
  }

  /// The report in `data`, which came from `path`.
  package static func decode(_ data: Data, from path: String) throws(LoopbenchError) -> Report {
    let decoder = JSONDecoder()
    let damaged = LoopbenchError.failed(
      "\(path) is no complete report of loopbench; measure again with -o \(path)"
    )
    let head: Head
    do { head = try decoder.decode(Head.self, from: data) } catch { throw damaged }
    guard head.schema == Report.currentSchema else {
      throw .failed(
        "\(path) has schema \(head.schema), this loopbench reads \(Report.currentSchema)"
      )
    }
    let report: Report
    do { report = try decoder.decode(Report.self, from: data) } catch { throw damaged }
    guard report.results.allSatisfy({ $0.histogram.isSound(count: $0.count) }) else {
      throw damaged
    }
    return report
  }

  private static func contents(
    of path: String,
    _ onlyRegular: Bool
  ) throws(LoopbenchError) -> Data {
    do {
      return try InputFile.read(path, limit: limit, onlyRegular: onlyRegular)
    } catch {
      throw .failed(
        error == .tooLarge
          ? "\(path) has more than \(limit >> 20) MB, and no report has"
          : "\(path) cannot be read; name a file that loopbench -o wrote, or - for standard input"
      )
    }
  }

  // 64 MB: every peer of every scenario in 1000 rounds, the most there can be, is
  // 35 MB.
  static let limit = 64 << 20

  private struct Head: Decodable {
    let schema: String
  }
}
