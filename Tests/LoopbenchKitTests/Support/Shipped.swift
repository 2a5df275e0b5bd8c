import Foundation

/// Files of the package that are no source code.
enum Shipped {
  /// - Parameter path: From the package's folder.
  static func text(_ path: String, test: String = #filePath) throws -> String {
    let parts = test.split(separator: "/", omittingEmptySubsequences: false)
    let tests = parts.lastIndex(of: "Tests") ?? 0
    let root = parts.prefix(tests).joined(separator: "/")
    return try String(contentsOfFile: root + "/" + path, encoding: .utf8)
  }
}
