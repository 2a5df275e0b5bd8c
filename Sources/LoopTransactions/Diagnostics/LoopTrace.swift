import Synchronization

/// Records the work of all loops and schedulers of the process, to be shown on a
/// time axis by Perfetto or Chrome.
///
/// ```swift
/// let trace = try LoopTrace()
/// try serve()
/// LoopTrace.mark("served")
/// trace.stop()
/// try trace.write(to: "trace.json")
/// ```
///
/// Open the file at <https://ui.perfetto.dev>, or draw it with `loopbench trace`.
/// It has a track for each loop, for each worker, and for each other thread that
/// posts, adds operations or sets marks. There are spans for ticks, flushes and
/// pieces of work, arrows from a post, a commit or an added operation to the code
/// that runs because of it, marks, and the number of queued operations and of
/// awake workers of each scheduler.
///
/// Each track has the last events, in memory that is allocated once. A loop
/// takes part from its next tick on. A loop with a virtual clock has a time axis
/// of its own. Tracing does not change the order of any work.
///
/// A program that is started with the environment variable
/// `LOOPTRANSACTIONS_TRACE` set to a path is traced from its first loop or
/// scheduler on, and writes that file when it exits. In the path, `%p` stands
/// for the number of the process. `LOOPTRANSACTIONS_TRACE_ON` lists signals
/// that write the file, too, with commas between their names.
public final class LoopTrace: Sendable {
  /// An error of a trace.
  public enum TraceError: Error, Hashable, Sendable {
    /// Another trace is running.
    case isRunning
    /// The trace was started by the parent of this process.
    case belongsToParent
    /// The file could not be written.
    case cannotWrite(path: String, UVError)
  }

  let core: TraceCore

  /// Starts a trace of the process.
  ///
  /// Call from any thread. The trace ends when `stop()` is called, or when this
  /// object is released. A forked child is not traced.
  ///
  /// - Parameter eventsPerThread: The number of events that each loop and thread
  ///   keeps, at 32 bytes each, rounded up to a power of two. Memory is used when
  ///   it is first written. A piece of work takes one or two events. At most 256
  ///   loops and threads are recorded; further ones are not.
  /// - Throws: `TraceError.isRunning` if another trace is running.
  /// - Precondition: `eventsPerThread` is from 16 to 16,777,216.
  public init(eventsPerThread: Int = 16_384) throws(TraceError) {
    require(
      eventsPerThread >= 16 && eventsPerThread <= 1 << 24,
      "LoopTrace: eventsPerThread must be from 16 to 16777216, got \(eventsPerThread)"
    )
    let capacity = 1 << (Int.bitWidth - (eventsPerThread - 1).leadingZeroBitCount)
    guard let core = TraceRegistry.start(capacity: capacity) else { throw .isRunning }
    self.core = core
  }

  deinit { stop() }

  /// Ends the trace. The events so far remain readable.
  ///
  /// Call from any thread. Does nothing if the trace is stopped, or if the parent
  /// process started it.
  public func stop() { TraceRegistry.stop(core) }

  /// Records that the calling thread reached a place in the code, if a trace is
  /// running.
  ///
  /// Call from any thread. The mark is shown on the track of the loop that the
  /// thread runs, or else on the thread's own. Without a trace, this is a call, a
  /// load and a branch.
  ///
  /// - Parameter name: The name of the mark.
  /// - Complexity: O(1). The first mark of a thread allocates its memory.
  @inlinable
  public static func mark(_ name: StaticString) {
    if _slowPath(isRunning) { record(name) }
  }

  @usableFromInline
  @inline(never)
  static func record(_ name: StaticString) {
    guard let ring = TraceThread.ring else { return }
    let name = OwnerWord(.other, name).rawValue
    ring.writer.append(TraceEvent(.mark, at: ring.now, name: name))
  }

  /// The events so far, in the JSON trace event format of Chrome.
  ///
  /// Call from any thread, also while the trace is running: the threads that
  /// record do not wait. Events that a thread overwrites meanwhile are left out.
  /// In a forked child, the parent's trace has no events.
  ///
  /// - Complexity: O(n log n) in the number of events. A million events take
  ///   seconds.
  public var json: String { core.json }

  /// Replaces the file at `path` with `json`.
  ///
  /// Call from any thread. Blocks until the file is written.
  ///
  /// - Throws: `TraceError.cannotWrite` with the system's error, or
  ///   `TraceError.belongsToParent` in a forked child.
  public func write(to path: String) throws(TraceError) {
    try write(to: path, isLast: false)
  }

  private func write(to path: String, isLast: Bool) throws(TraceError) {
    if core.isForked { throw .belongsToParent }
    let result = TraceFiles.write(json, to: path, isLast: isLast)
    guard result == 0 else {
      throw .cannotWrite(path: path, UVError(code: result, operation: "LoopTrace.write"))
    }
  }
}

extension LoopTrace.TraceError: CustomStringConvertible {
  /// A sentence with the reason, and what to do.
  public var description: String {
    switch self {
    case .isRunning:
      """
      LoopTrace: another trace is running; stop it first, or unset \
      LOOPTRANSACTIONS_TRACE
      """
    case .belongsToParent:
      "LoopTrace.write: the trace belongs to the parent process; start one in the child"
    case .cannotWrite(let path, let error):
      UVError(code: error.code, operation: "LoopTrace.write: cannot write '\(path)'").description
    }
  }
}

// The environment.
extension LoopTrace {
  private static let variable = "LOOPTRANSACTIONS_TRACE"

  // Kept until the process ends.
  private static let fromEnvironment: (trace: LoopTrace, path: String)? = {
    guard let path = System.environment(variable) else {
      if System.environment(variable + "_ON") != nil {
        System.logToStandardError(
          "LOOPTRANSACTIONS_TRACE_ON has no effect without the path in LOOPTRANSACTIONS_TRACE"
        )
      }
      return nil
    }
    do {
      let trace = try LoopTrace()
      System.atExit { LoopTrace.writeAtExit() }
      if let words = System.environment(variable + "_ON") { trace.write(to: path, on: words) }
      return (trace, path)
    } catch {
      System.logToStandardError("\(variable): \(error)")
      return nil
    }
  }()

  /// Starts a trace if the environment asks for one. The environment is read at
  /// the first call.
  static func startFromEnvironment() { _ = fromEnvironment }

  private static func writeAtExit() {
    guard let (trace, pattern) = fromEnvironment, !trace.core.isForked else { return }
    do {
      try trace.write(to: path(pattern, process: System.processNumber), isLast: true)
    } catch {
      System.logToStandardError("\(variable): \(error)")
    }
  }

  /// Replaces `%p` by the number of the process.
  static func path(_ pattern: String, process: Int) -> String {
    pattern.split(separator: "%p", omittingEmptySubsequences: false).joined(separator: "\(process)")
  }
}
