internal import CLoopWatch
package import LoopbenchKit

/// The memory in which the threads of a watched program record their waits.
///
/// Call from any thread.
package final class WaitRecords: WaitLog {
  // unsafe: the pointer is a constant, and the memory is read by atomic operations.
  nonisolated(unsafe) private let memory: UnsafeMutablePointer<lw_records>
  private let file: Int32

  /// The environment variable that tells the program's library where the memory is.
  package static let variable = String(cString: LW_VARIABLE_NAME)

  /// Makes the memory. It has no name in a file system, so nothing remains when this
  /// process ends.
  package init() throws(SystemError) {
    var file: Int32 = -1
    var memory: UnsafeMutablePointer<lw_records>?
    let error = lw_records_make(&file, &memory)
    guard error == 0, let memory else { throw SystemError(code: error) }
    (self.file, self.memory) = (file, memory)
  }

  deinit { lw_records_free(memory, file) }

  /// The path by which processes of the same user open the memory.
  package func path(forProcess process: Int32) -> String { "/proc/\(process)/fd/\(file)" }

  /// The other processes that map the memory: the program and its children.
  package func users() -> [Int32] {
    guard let own = Self.mapping(of: lw_process()) else { return [] }
    return ProcessFile.names(in: "/proc").compactMap { Int32($0) }
      .filter { $0 != lw_process() && Self.mapping(of: $0) == own }
  }

  /// The device and inode of the file that a process maps; nil if it maps none.
  private static func mapping(of process: Int32) -> [Substring]? {
    let bytes = ProcessFile("/proc/\(process)/maps")?.allBytes ?? []
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .first { $0.contains("/memfd:loopbench-waits") }
    // The fields before them are the addresses, the permissions and the offset.
    return line.map { Array($0.split(separator: " ").dropFirst(3).prefix(2)) }
  }

  package func look(at now: UInt64) {}

  package func threads() -> [RecordedThread] {
    (0..<Int(lw_records_count(memory))).compactMap { index in
      let thread = lw_thread_number(memory, Int32(index))
      guard thread > 0 else { return nil }
      return RecordedThread(
        entry: index,
        process: lw_thread_process(memory, Int32(index)),
        thread: thread
      )
    }
  }

  package func readWaits(entry: Int, from first: UInt64, _ body: (Wait) -> Void) {
    var number = first
    var record = lw_wait_copy()
    while true {
      switch lw_read_wait(memory, Int32(entry), &number, &record) {
      case lw_ended: body(Wait(record, number: number, hasEnded: true))
      case lw_waiting: return body(Wait(record, number: number, hasEnded: false))
      default: return
      }
      number += 1
    }
  }

  package func isWaiting(entry: Int, for source: WaitSource?) -> Bool {
    let wait = currentWait(entry)
    return source == nil ? wait != nil : wait?.source == source
  }

  package func expectWait(entry: Int, for source: WaitSource?) -> Bool { true }

  package func currentWaitBegan(entry: Int) -> UInt64? { currentWait(entry)?.began }

  private func currentWait(_ entry: Int) -> Wait? {
    var number = UInt64.max
    var record = lw_wait_copy()
    guard lw_read_wait(memory, Int32(entry), &number, &record) == lw_waiting else { return nil }
    return Wait(record, number: number, hasEnded: false)
  }
}

extension Wait {
  fileprivate init(_ record: lw_wait_copy, number: UInt64, hasEnded: Bool) {
    self.init(
      number: number,
      began: record.began,
      ended: hasEnded ? record.ended : nil,
      source: record.descriptor < 0
        ? .poll(site: record.site) : .epoll(descriptor: record.descriptor),
      timeout: record.timeout < 0 ? nil : Int(record.timeout),
      events: Int(record.events),
      stack: record.stack
    )
  }
}
