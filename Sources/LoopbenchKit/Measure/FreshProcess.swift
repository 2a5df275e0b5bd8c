private import CLoopbench

/// A program that runs beside this one and talks to nobody: in a process group of
/// its own, without a terminal. It ends with this process at the latest.
public enum FreshProcess {
  /// Runs the program `words`, its path first, to its end.
  ///
  /// - Parameter isInterrupted: Asked ten times a second; after `true` the program
  ///   is ended.
  /// - Returns: Its exit code; `nil` when it was interrupted.
  /// - Throws: What the system says when it starts no process.
  public static func run(
    _ words: [String],
    isInterrupted: () -> Bool
  ) throws(SystemError) -> Int? {
    let process = cl_load_start("exec " + words.map(quoted).joined(separator: " "))
    guard process > 0 else { throw SystemError(code: process) }
    while cl_load_wait(process, 100) == 0 {
      guard !isInterrupted() else {
        _ = cl_load_stop(process)
        return nil
      }
    }
    return Int(cl_load_stop(process))
  }

  /// As one word of a shell, whatever is in it.
  package static func quoted(_ word: String) -> String {
    "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
