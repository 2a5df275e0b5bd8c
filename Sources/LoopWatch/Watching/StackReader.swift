internal import CLoopWatch
package import LoopbenchKit

/// Captures the stacks of a process's threads and names their functions.
///
/// Call from one thread.
package final class StackReader {
  private let stacks: OpaquePointer
  private let process: Int32
  private let program: String
  private var map = PerfMap()
  private var mapFile: ProcessFile?
  private var mapOffset = 0
  private var names: [String: String] = [:]

  /// - Throws: `LoopbenchError` that says why stacks cannot be read, and what to do.
  package init(process: Int32) throws(LoopbenchError) {
    var stacks: OpaquePointer?
    let message = String(capacity: 512) { stacks = lw_stacks_open(process, $0, $1) }
    guard let stacks else { throw .unavailable(message) }
    (self.stacks, self.process) = (stacks, process)
    program = (ProcessFile.link("/proc/\(process)/exe") ?? "").withoutDeletion
  }

  deinit { lw_stacks_close(stacks) }

  /// How a capture ended.
  package enum Outcome: Sendable {
    case stack([StackFrame])
    /// The thread waited, has ended or has a stack that cannot be read.
    case nothing
    /// The system does not permit it, for this reason.
    case refused(String)
  }

  /// Stops the thread for a moment and captures its stack, innermost function first.
  ///
  /// - Parameters:
  ///   - waited: The time for which the thread has been in a wait with a timeout, in ns.
  ///     The stop restarts the wait, with a timeout that is shorter by this time.
  ///   - isWaiting: Asked before the stop and during it. If it returns true, the thread
  ///     is not stopped, or released at once.
  /// - Returns: The outcome, and the time for which the thread was stopped, in ns.
  package func capture(
    thread: Int32,
    waited: UInt64,
    isWaiting: @escaping @Sendable () -> Bool
  ) -> (Outcome, stopped: UInt64) {
    let context = WaitingQuestion(body: isWaiting)
    var frames = [lw_frame](repeating: lw_frame(), count: 256)
    var (count, length) = (0, UInt64(0))
    let outcome = withExtendedLifetime(context) {
      lw_stacks_capture(
        stacks,
        thread,
        answerWaiting,
        Unmanaged.passUnretained(context).toOpaque(),
        waited,
        &frames,
        frames.count,
        &count,
        &length
      )
    }
    switch outcome {
    case lw_captured:
      // Before each use, because new code may be where other code was.
      readMap()
      return (.stack(frames[..<count].compactMap { named($0) }), length)
    case lw_refused:
      let number = lw_errno()
      let reason = String(capacity: 512) {
        lw_refusal_message(process, thread, number, $0, $1)
      }
      return (.refused(reason), length)
    default: return (.nothing, length)
    }
  }

  private func named(_ frame: lw_frame) -> StackFrame? {
    guard let module = frame.module.map({ String(cString: $0).withoutDeletion }) else {
      return generated(frame.address)
    }
    // `pthread_cond_wait@@GLIBC_2.3.2` has a version.
    let symbol = frame.symbol.map { demangled(String(String(cString: $0).prefix { $0 != "@" })) }
    let file = module.split(separator: "/").last.map(String.init) ?? module
    guard file != "libloopbench-waits.so" else { return nil }
    let role = FrameRoles.role(symbol: symbol, module: module, isProgram: module == program)
    // The program's own file would be in most lines.
    let place = symbol == nil || module == program ? nil : file
    return StackFrame(symbol ?? file, place: place, role: role, isNamed: symbol != nil)
  }

  /// The name of generated code; nil if it has none.
  private func generated(_ address: UInt64) -> StackFrame? {
    map.name(at: address).flatMap { StackFrame(perfMapName: $0) }
  }

  /// Reads the new lines of the perf map.
  private func readMap() {
    if mapFile == nil { mapFile = ProcessFile("/proc/\(process)/root/tmp/perf-\(process).map") }
    guard let mapFile else { return }
    while case let bytes = mapFile.bytes(from: mapOffset), !bytes.isEmpty {
      map.add(bytes)
      mapOffset += bytes.count
    }
  }

  private func demangled(_ symbol: String) -> String {
    if let known = names[symbol] { return known }
    var name = symbol
    if let path = RustSymbol.path(of: symbol) {
      name = path
    } else if let text = lw_demangle(symbol) {
      name = RustSymbol.unescaped(String(cString: text))
      lw_free(text)
    }
    if symbol.hasPrefix("$s") || symbol.hasPrefix("$S") { name = SwiftSymbol.simplified(name) }
    name = FrameRoles.withoutParameters(name)
    if symbol.hasPrefix("_Z") { name = FrameRoles.withoutTypes(name) }
    names[symbol] = name
    return name
  }

  /// Removes a process's perf map.
  package static func removePerfMap(of process: Int32) { lw_remove("/tmp/perf-\(process).map") }
}

extension String {
  /// The path of a mapped file, without the kernel's mark of a file that was removed.
  fileprivate var withoutDeletion: String {
    hasSuffix(" (deleted)") ? String(dropLast(" (deleted)".count)) : self
  }
}

private final class WaitingQuestion: Sendable {
  let body: @Sendable () -> Bool

  init(body: @escaping @Sendable () -> Bool) { self.body = body }
}

private func answerWaiting(_ context: UnsafeMutableRawPointer?) -> Bool {
  guard let context else { return false }
  return Unmanaged<WaitingQuestion>.fromOpaque(context).takeUnretainedValue().body()
}
