internal import CLoopWatch
package import LoopbenchKit

/// Starts a program so that its threads record their waits.
package enum WatchedCommand {
  /// Starts the program.
  ///
  /// - Parameters:
  ///   - words: The program and its arguments.
  ///   - environment: The variables of this process.
  ///   - library: The path of the library that records waits.
  /// - Returns: The program's process number.
  package static func start(
    _ words: [String],
    environment: [String: String],
    library: String,
    records: WaitRecords
  ) throws(LoopbenchError) -> Int32 {
    var environment = environment
    environment.prepend(library, to: "LD_PRELOAD", separator: ":")
    environment[WaitRecords.variable] = records.path(forProcess: lw_process())
    for option in nodeOptions { environment.append(option, to: "NODE_OPTIONS", separator: " ") }
    environment["PYTHONPERFSUPPORT"] = environment["PYTHONPERFSUPPORT"] ?? "1"
    environment[WorkReader.variable] = "1"
    let process = withStrings(words) { words in
      withStrings(environment.map { "\($0.key)=\($0.value)" }) { lw_start(words, $0) }
    }
    guard process > 0 else {
      throw .failed("cannot start \"\(words[0])\": \(SystemError(code: process))")
    }
    return process
  }

  /// Makes Node.js write the names of compiled and interpreted functions.
  private static let nodeOptions = [
    "--perf-basic-prof-only-functions", "--interpreted-frames-native-stack",
  ]

  private static func withStrings<Result>(
    _ strings: [String],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { lw_copy($0) }
    defer { for copy in copies { lw_free(copy) } }
    return body(copies + [nil])
  }
}

extension [String: String] {
  fileprivate mutating func prepend(_ value: String, to name: String, separator: String) {
    self[name] = self[name].map { value + separator + $0 } ?? value
  }

  fileprivate mutating func append(_ value: String, to name: String, separator: String) {
    guard let old = self[name], !old.isEmpty else { return self[name] = value }
    guard !old.contains(value) else { return }
    self[name] = old + separator + value
  }
}
