internal import CLoopWatch
import LoopbenchKit

/// Reads the state of one thread of another process.
///
/// Call from any thread.
package final class ThreadFiles: Sendable {
  package let process: Int32
  package let thread: Int32
  private let times: ProcessFile
  private let status: ProcessFile
  private let call: ProcessFile?
  private var base: String { "/proc/\(process)/task/\(thread)" }

  /// Nil if the thread has ended.
  package init?(process: Int32, thread: Int32) {
    let base = "/proc/\(process)/task/\(thread)"
    guard let times = ProcessFile(base + "/schedstat"), let status = ProcessFile(base + "/stat")
    else { return nil }
    (self.process, self.thread, self.times, self.status) = (process, thread, times, status)
    call = ProcessFile(base + "/syscall")
  }

  /// The name of the thread.
  package var name: String? { ProcessFile.line(base + "/comm") }

  /// Time on a CPU and time waiting for one; nil if the thread has ended.
  package func usage() -> ThreadUsage? {
    guard let numbers = times.numbers(2), numbers.count == 2 else { return nil }
    var usage = ThreadUsage(time: lw_now())
    (usage.running, usage.waiting) = (numbers[0], numbers[1])
    return usage
  }

  /// The state of the thread now; nil if it has ended.
  package func observe() -> Observation? {
    let hasRun = call?.withBytes(Self.isRunning) ?? false
    guard let state = status.state() else { return nil }
    let time = lw_now()
    switch state {
    // It has ended, and its parent has not noticed that yet.
    case "Z", "X": return nil
    case "R": return Observation(time: time, state: .runnable)
    case "T": return Observation(time: time, state: .stopped)
    case "t": return Observation(time: time, state: .stopped, isTraced: true)
    // It began to sleep a moment ago. A thread that often sleeps for a short time, as in
    // fsync, is seldom seen in its system call.
    case _ where hasRun: return Observation(time: time, state: .blocked)
    case "D" where currentCall() == nil:
      return Observation(time: time, state: .blocked, reason: "a page of a file")
    default:
      let call = currentCall()
      var observation = Observation(time: time, state: .blocked, reason: call?.words(surroundings))
      observation.lockPlace = call?.lockPlace
      return observation
    }
  }

  /// The system call that the thread is in.
  package func currentCall() -> SystemCall? {
    call?.withBytes(Self.call) ?? nil
  }

  /// The file of a thread that runs is `running`.
  private static func isRunning(_ line: UnsafeRawBufferPointer) -> Bool {
    line.first == UInt8(ascii: "r")
  }

  private static func call(in line: UnsafeRawBufferPointer) -> SystemCall? {
    SystemCall(line: line, name: name(ofCall:))
  }

  /// The source that the thread waits for now; nil if it is in no wait for events.
  package func currentWait() -> WaitSource? {
    guard case .waiting(let source) = sample().state else { return nil }
    return source
  }

  /// The state of the thread now, and the address to which its system call returns.
  package func sample() -> (state: SampledState, address: UInt64?) {
    let read = call?.withBytes { line in
      (isRunning: Self.isRunning(line), call: Self.call(in: line))
    }
    guard let read, !read.isRunning else { return (.running, nil) }
    guard let call = read.call else { return (.blocked, nil) }
    let address = call.registers.last
    let source = address.flatMap(call.waitSource)
    return (source.map { .waiting($0) } ?? .blocked, address)
  }

  /// How the thread has run; nil if it has ended.
  package func timeSlices() -> TimeSlices? {
    guard let numbers = times.numbers(3), numbers.count == 3 else { return nil }
    return TimeSlices(running: numbers[0], waiting: numbers[1], count: numbers[2])
  }

  /// The name of the system call with a number.
  package static func name(ofCall number: Int) -> String? {
    lw_call_name(number).map { String(cString: $0) }
  }

  private var surroundings: CallSurroundings {
    let (process, base) = (process, base)
    return CallSurroundings(
      target: { ProcessFile.link("/proc/\(process)/fd/\($0)") },
      children: { Self.children(of: base) },
      descriptor: { address in
        guard let start = Int(exactly: address) else { return nil }
        let bytes = ProcessFile("/proc/\(process)/mem")?.bytes(from: start, atMost: 4) ?? []
        return bytes.count == 4 ? bytes.reversed().reduce(0) { $0 << 8 | Int32($1) } : nil
      },
      text: { ProcessFile("/proc/\(process)/mem")?.text(at: $0) },
      peer: { ProcessFile.peer(of: $0, in: process, connectingTo: $1) }
    )
  }

  private static func children(of base: String) -> [String] {
    let numbers = ProcessFile.text(base + "/children")?.split(separator: " ") ?? []
    return numbers.compactMap { ProcessFile.line("/proc/\($0)/comm") }
  }
}
