package import FoundationEssentials

/// Reads reports from files.
package enum ReportFile {
  /// Reads the report at `path`, or from standard input if `path` is `-`.
  ///
  /// - Parameter onlyRegular: Whether to refuse files that are not regular, because
  ///   reading a FIFO or device may block. Pass true for a path that the user did
  ///   not name.
  /// - Throws: `LoopbenchError` that states the problem and how to fix it.
  package static func read(
    _ path: String,
    onlyRegular: Bool = false
  ) throws(LoopbenchError) -> Report {
    let data: Data
    do { data = try InputFile.read(path, limit: limit, onlyRegular: onlyRegular) } catch {
      throw .failed(
        error == .tooLarge
          ? "\(path) is larger than \(limit >> 20) MB, the limit for a report"
          : "\(path) cannot be read; name a file that loopbench -o wrote, or - for standard input"
      )
    }
    return try decode(data, from: path)
  }

  /// Decodes the report in `data`, which was read from `path`.
  package static func decode(_ data: Data, from path: String) throws(LoopbenchError) -> Report {
    let damaged = LoopbenchError.failed(
      "\(path) is not a complete loopbench report; name a file that loopbench -o wrote"
    )
    guard let schema = schema(of: data) else { throw damaged }
    guard schema == Report.currentSchema else {
      throw .failed(
        "\(path) has schema \(schema), but this loopbench reads \(Report.currentSchema)"
      )
    }
    let report: Report
    do { report = try JSONDecoder().decode(Report.self, from: data) } catch { throw damaged }
    guard report.results.allSatisfy({ $0.histogram.isSound(count: $0.count) }) else {
      throw damaged
    }
    return report
  }

  // 64 MB: the largest possible report, with every peer of every scenario in 1000
  // rounds, is 35 MB.
  static let limit = 64 << 20

  /// The schema that a JSON object names. Nil if it names none.
  package static func schema(of data: Data) -> String? {
    struct Header: Decodable { let schema: String }
    // try?: the caller reports data without a schema.
    return try? JSONDecoder().decode(Header.self, from: data).schema
  }
}

/// The JSON schema of a report.
package enum ReportSchema {
  /// The JSON Schema (draft 2020-12) of `loopbench/1`.
  ///
  /// Readers must ignore unknown keys, because a later version may add keys without a
  /// new schema. The keys in the schema keep their names, types and units.
  package static var text: String {
    String(decoding: PackageResources.loopbench_1_schema_json, as: UTF8.self)
  }
}
