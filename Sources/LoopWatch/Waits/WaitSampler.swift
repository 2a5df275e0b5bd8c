internal import CLoopWatch
import LoopTransactions

/// Finds the waits of a running program by sampling the system calls of its threads.
///
/// A sample sees a wait, or that the thread ran since the last sample. Ticks that are
/// shorter than the time between two samples are not seen. While a hold lasts, a
/// breakpoint finds the next wait, if the system permits it.
package final class WaitSampler: WaitLog {
  private let process: Int32
  private let state = Locked(State())
  /// The error for which breakpoints are not used; 0 if they are.
  package let probeError: Int32

  private struct State {
    var threads: [Int32: Sampled] = [:]
    var listedAt: UInt64?
    var listPeriod = WaitSampler.shortestListPeriod
    /// Of this process. While the system has no breakpoint, the next one takes up to 100 ms.
    var anchor: WaitProbe?
  }

  fileprivate struct Sampled {
    let files: ThreadFiles
    var waits = SampledThread()
    /// The addresses to which the waits return.
    var sites: [WaitSource: UInt64] = [:]
    var probe: WaitProbe?
    /// True if it ran between the last two samples.
    var hasRun = true

    init(_ files: ThreadFiles) { self.files = files }
  }

  /// How often the list of threads is read, in ns: often after one of them was seen
  /// waiting for the first time, because programs start several threads at once.
  private static let shortestListPeriod: UInt64 = 10_000_000
  private static let longestListPeriod: UInt64 = 500_000_000

  package init(process: Int32) {
    self.process = process
    var error: Int32 = 0
    // Any address tells.
    _ = WaitProbe(thread: process, address: 4096, error: &error)
    probeError = error
    guard error == 0 else { return }
    state.withLock { $0.anchor = WaitProbe(thread: lw_process(), address: 4096, error: &error) }
  }

  package func look(at now: UInt64) {
    state.withLock { state in
      if state.listedAt.map({ now.since($0) >= state.listPeriod }) ?? true {
        state.listedAt = now
        let known = state.threads.count
        list(&state)
        state.listPeriod =
          state.threads.count > known
          ? Self.shortestListPeriod : min(state.listPeriod * 2, Self.longestListPeriod)
      }
      // An array, and changes in place, so that the dictionary is not copied.
      for number in Array(state.threads.keys) where state.threads[number]?.sample() == false {
        state.threads[number] = nil
      }
    }
  }

  /// Adds the first thread, which most loops run on, and the threads that wait for events
  /// now. Other threads may begin to wait later.
  private func list(_ state: inout State) {
    for name in ProcessFile.names(in: "/proc/\(process)/task") {
      guard let number = Int32(name), state.threads[number] == nil else { continue }
      guard let files = ThreadFiles(process: process, thread: number) else { continue }
      guard number == process || files.currentWait() != nil else { continue }
      state.threads[number] = Sampled(files)
    }
  }

  package func threads() -> [RecordedThread] {
    state.withLock { state in
      state.threads.keys.map { RecordedThread(entry: Int($0), process: process, thread: $0) }
    }
  }

  package func readWaits(entry: Int, from first: UInt64, _ body: (Wait) -> Void) {
    let waits = state.withLock { $0.threads[Int32(entry)]?.waits.takeWaits() ?? [] }
    for wait in waits where wait.number >= first { body(wait) }
  }

  package func currentWaitBegan(entry: Int) -> UInt64? {
    state.withLock { $0.threads[Int32(entry)]?.waits.currentWaitBegan }
  }

  package func isWaiting(entry: Int, for source: WaitSource?) -> Bool {
    let files = ThreadFiles(process: process, thread: Int32(entry))
    let wait = files?.currentWait()
    return source == nil ? wait != nil : wait == source
  }

  package func expectWait(entry: Int, for source: WaitSource?) -> Bool {
    guard probeError == 0 else { return true }
    return state.withLock { $0.threads[Int32(entry)]?.expectWait(for: source) ?? true }
  }
}

extension WaitSampler.Sampled {
  /// Returns false if the thread has ended.
  fileprivate mutating func sample() -> Bool {
    var (next, slices) = (waits.state, waits.slices)
    // A thread that has not run since is in the same system call.
    if hasRun || files.timeSlices() != slices {
      let address: UInt64?
      (next, address) = files.sample()
      if case .waiting(let source) = next { note(address, of: source) }
      // Afterwards, because it may have run until now.
      guard let times = files.timeSlices() else { return false }
      slices = times
    }
    let now = lw_now()
    let entries = probe?.takeEntries(until: now) ?? []
    if probe?.isSpent ?? false { probe = nil }
    hasRun = slices != waits.slices
    waits.advance(to: next, slices: slices, entries: entries, at: now)
    return true
  }

  private mutating func note(_ address: UInt64?, of source: WaitSource) {
    // 8: a thread has few loops, but may poll at any number of places.
    if sites.count == 8, sites[source] == nil { sites = [:] }
    sites[source] = address
  }

  fileprivate mutating func expectWait(for source: WaitSource?) -> Bool {
    guard let source else {
      probe = nil
      return true
    }
    guard probe == nil, let address = sites[source] else { return true }
    // A refusal may be for a moment only: other debuggers use all registers.
    var error: Int32 = 0
    probe = WaitProbe(thread: files.thread, address: address, error: &error)
    return probe == nil
  }
}

/// A breakpoint at the place where a thread waits.
private final class WaitProbe {
  private let probe: OpaquePointer
  private let address: UInt64
  /// A wait that began after the last sample.
  private var next: WaitEntry?
  private var hits = 0

  /// Nil if the system refuses.
  ///
  /// - Parameter address: The address to which the system call returns.
  init?(thread: Int32, address: UInt64, error: inout Int32) {
    var probe: OpaquePointer?
    error = -lw_probe_open(thread, address, &probe)
    guard let probe else { return nil }
    (self.probe, self.address) = (probe, address)
  }

  deinit { lw_probe_close(probe) }

  /// True if the system has removed the breakpoint, because there were enough waits. It is
  /// not set again: since Linux 6.16, no wait hits such a breakpoint.
  var isSpent: Bool { hits == LW_PROBE_HITS && next == nil }

  /// The waits that began at the breakpoint until `time`.
  func takeEntries(until time: UInt64) -> [WaitEntry] {
    var entries: [WaitEntry] = []
    while let entry = next ?? takeEntry() {
      next = entry
      guard entry.time <= time else { break }
      entries.append(entry)
      next = nil
    }
    return entries
  }

  /// Some C libraries make several kinds of calls at one place.
  private func takeEntry() -> WaitEntry? {
    var hit = lw_probe_hit()
    while lw_probe_next(probe, &hit) {
      hits += 1
      guard let name = ThreadFiles.name(ofCall: hit.call) else { continue }
      let descriptor = UInt64(UInt32(bitPattern: hit.descriptor))
      let call = SystemCall(name: name, arguments: [descriptor])
      guard let source = call.waitSource(returningTo: address) else { continue }
      return WaitEntry(time: hit.time, source: source)
    }
    return nil
  }
}
