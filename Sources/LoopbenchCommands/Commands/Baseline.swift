private import FoundationEssentials
import LoopbenchKit

/// What results are compared with: a file, or a name that was given to one.
enum Baseline {
  /// - Parameter isTrusted: Whether the command line names it. Otherwise, and where a
  ///   file was found by its name alone, a FIFO or device is not read.
  /// - Throws: `NoBaselineError`, which says where it was looked for.
  static func load(
    _ name: String,
    folder: String,
    isTrusted: Bool = true
  ) throws(NoBaselineError) -> Report {
    do {
      let isPath = name.contains("/") || name == "-"
      if isPath || FileManager.default.fileExists(atPath: name) {
        return try ReportFile.read(name, onlyRegular: !isPath || !isTrusted)
      }
      return try BaselineStore(folder: folder).load(name)
    } catch {
      throw NoBaselineError(description: "\(error)")
    }
  }
}
