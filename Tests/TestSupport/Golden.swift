import Foundation

/// Files with the expected output of a program, in the folder Golden of a test
/// target.
///
/// With LOOPBENCH_GOLDEN=write in the environment, the actual output overwrites
/// the expected output. Check the difference before you commit it.
package enum Golden {
  /// Returns the contents of the file `name`.
  ///
  /// - Parameter text: The actual output, which is written to the file on
  ///   request.
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
