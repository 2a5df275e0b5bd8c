private import FoundationEssentials
import LoopbenchKit

/// What results are compared with: a file, or a name that was given to one.
enum Baseline {
  /// - Throws: `NoBaselineError`, which says where it was looked for.
  static func load(_ name: String, folder: String) throws(NoBaselineError) -> Report {
    do {
      if name.contains("/") || name == "-" || FileManager.default.fileExists(atPath: name) {
        return try ReportFile.read(name)
      }
      return try BaselineStore(folder: folder).load(name)
    } catch {
      throw NoBaselineError(description: "\(error)")
    }
  }
}
