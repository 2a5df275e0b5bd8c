import Foundation

/// Files that hold what a program is expected to print, in the folder Golden of a
/// test target.
///
/// With LOOPBENCH_GOLDEN=write in the environment, what is printed becomes what
/// is expected; look at the difference before you commit it.
package enum Golden {
  /// What the file `name` says.
  ///
  /// - Parameter text: What was printed: written to the file if that is asked for.
  package static func expected(
    _ text: String,
    _ name: String,
    test: String = #filePath
  ) throws -> String {
    let path = folder(of: test) + name
    if ProcessInfo.processInfo.environment["LOOPBENCH_GOLDEN"] == "write" {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  private static func folder(of test: String) -> String {
    let parts = test.split(separator: "/", omittingEmptySubsequences: false)
    let tests = parts.lastIndex(of: "Tests") ?? 0
    return parts.prefix(tests + 2).joined(separator: "/") + "/Golden/"
  }
}
