import Foundation

/// Files of the package that are not source code.
enum Shipped {
  /// Returns the contents of a file.
  ///
  /// - Parameter path: Relative to the package's folder.
  static func text(_ path: String, test: String = #filePath) throws -> String {
    let parts = test.split(separator: "/", omittingEmptySubsequences: false)
    let tests = parts.lastIndex(of: "Tests") ?? 0
    let root = parts.prefix(tests).joined(separator: "/")
    return try String(contentsOfFile: root + "/" + path, encoding: .utf8)
  }
}
