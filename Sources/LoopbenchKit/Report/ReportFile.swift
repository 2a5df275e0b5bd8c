public import FoundationEssentials

/// A report in a file.
public enum ReportFile {
  /// Reads the report at `path`; `-` is standard input.
  ///
  /// - Throws: `ReportFileError`, which says what to do.
  public static func read(_ path: String) throws(ReportFileError) -> Report {
    try read(path, onlyRegular: false)
  }

  /// As `read(_:)`, but of a regular file only: what somebody else may have put there
  /// must not block.
  package static func read(
    _ path: String,
    onlyRegular: Bool
  ) throws(ReportFileError) -> Report {
    try decode(try contents(of: path, onlyRegular), from: path)
  }

  /// The report in `data`, which came from `path`.
  public static func decode(_ data: Data, from path: String) throws(ReportFileError) -> Report {
    let decoder = JSONDecoder()
    let head: Head
    do { head = try decoder.decode(Head.self, from: data) } catch { throw .damaged(path) }
    guard head.schema == Report.currentSchema else { throw .schema(path, found: head.schema) }
    let report: Report
    do { report = try decoder.decode(Report.self, from: data) } catch { throw .damaged(path) }
    guard report.results.allSatisfy({ $0.histogram.isSound(count: $0.count) }) else {
      throw .damaged(path)
    }
    return report
  }

  private static func contents(
    of path: String,
    _ onlyRegular: Bool
  ) throws(ReportFileError) -> Data {
    do {
      return try InputFile.read(path, limit: limit, onlyRegular: onlyRegular)
    } catch {
      throw error == .tooLarge ? .tooLarge(path) : .unreadable(path)
    }
  }

  // 64 MB: every peer of every scenario in 1000 rounds, the most there can be, is
  // 35 MB.
  static let limit = 64 << 20

  private struct Head: Decodable {
    let schema: String
  }
}

/// Why a file is not a report.
public enum ReportFileError: Error, Equatable, CustomStringConvertible {
  /// There is no such file, or it may not be read.
  case unreadable(String)
  /// It has more bytes than any report.
  case tooLarge(String)
  /// It is not JSON, or ends early, or is of something else.
  case damaged(String)
  /// Another version of the schema.
  case schema(String, found: String)

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .unreadable(let path):
      "\(path) can not be read; name a file that loopbench -o wrote, or - for standard input"
    case .tooLarge(let path):
      "\(path) has more than \(ReportFile.limit >> 20) MB, and no report has"
    case .damaged(let path):
      "\(path) is no complete report of loopbench; measure again with -o \(path)"
    case .schema(let path, let found):
      "\(path) has schema \(found), this loopbench reads \(Report.currentSchema)"
    }
  }
}
