private import CLoopbench

/// A background load that runs, in processes of its own, until it is stopped.
///
/// ```swift
/// let load = try RunningLoad(.cpu(2))
/// let measurements = try runner.run()
/// let ended = load.stop()
/// ```
public final class RunningLoad {
  private let load: BackgroundLoad
  /// Those that run; `stop` empties it.
  package private(set) var processes: [Int32] = []

  /// Starts it.
  ///
  /// - Throws: What the system says when it starts no process.
  public init(_ load: BackgroundLoad) throws(SystemError) {
    self.load = load
    for command in load.commands {
      let process = cl_load_start(command)
      guard process > 0 else {
        _ = stop()
        throw SystemError(code: process)
      }
      processes.append(process)
    }
  }

  deinit {
    _ = stop()
  }

  /// Ends it, with all that it started.
  ///
  /// - Returns: What to say of a load that had ended before; `nil` of one that
  ///   ran to the last.
  public func stop() -> Report.Warning? {
    let statuses = processes.map(cl_load_stop)
    processes = []
    return statuses.first { $0 >= 0 }.map { .loadEnded(load.text, status: Int($0)) }
  }
}
