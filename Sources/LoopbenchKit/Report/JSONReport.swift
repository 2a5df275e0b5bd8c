private import FoundationEssentials

/// Renders a report as JSON, schema `loopbench/1`.
public enum JSONReport {
  /// The document, with sorted keys, ending in a newline.
  public static func render(_ report: Report) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(report), as: UTF8.self) + "\n"
    } catch {
      preconditionFailure("JSONReport: a report holds only finite numbers, got \(error)")
    }
  }
}
