import LoopTransactions

/// Finds the waits of a running program by sampling the system calls of its threads.
///
/// A sample sees a wait, or that the thread ran since the last sample. Ticks that are
/// shorter than the time between two samples are not seen. The begin and the end of a
/// hold are known to half of that time.
package final class WaitSampler: WaitLog {
  private let process: Int32
  private let state = Locked(State())

  private struct State {
    var threads: [Int32: (files: ThreadFiles, waits: SampledThread)] = [:]
    var listedAt: UInt64?
  }

  /// How often the list of threads is read again, in ns: more often until one of them was
  /// seen waiting, because a busy loop rarely waits.
  private static let listPeriod: UInt64 = 500_000_000
  private static let firstListPeriod: UInt64 = 10_000_000

  package init(process: Int32) { self.process = process }

  package func look(at now: UInt64) {
    state.withLock { state in
      let period = state.threads.isEmpty ? Self.firstListPeriod : Self.listPeriod
      if state.listedAt.map({ now.since($0) >= period }) ?? true {
        state.listedAt = now
        list(&state)
      }
      for number in state.threads.keys { sample(number, &state, at: now) }
    }
  }

  private func sample(_ number: Int32, _ state: inout State, at now: UInt64) {
    guard let (files, waits) = state.threads[number] else { return }
    guard let slices = files.timeSlices() else { return state.threads[number] = nil }
    // A thread that has not run since is in the same system call.
    let next = slices == waits.slices ? waits.source : files.currentWait()
    state.threads[number]?.waits.advance(to: next, slices: slices, at: now)
  }

  /// Adds the threads that wait for events now. Other threads may begin to wait later.
  private func list(_ state: inout State) {
    for name in ProcessFile.names(in: "/proc/\(process)/task") {
      guard let number = Int32(name), state.threads[number] == nil else { continue }
      guard let files = ThreadFiles(process: process, thread: number) else { continue }
      guard files.currentWait() != nil else { continue }
      state.threads[number] = (files, SampledThread())
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
    return files?.currentWait() == source
  }
}

/// How a thread has run so far.
package struct TimeSlices: Equatable, Sendable {
  /// Time on a CPU, in ns.
  package var running: UInt64 = 0
  /// How often it was given a CPU.
  package var count: UInt64 = 0

  package init(running: UInt64 = 0, count: UInt64 = 0) {
    (self.running, self.count) = (running, count)
  }
}

/// The waits of one thread, found by samples.
package struct SampledThread {
  private var waits: [Wait] = []
  private var number: UInt64 = 0
  private var sampledAt: UInt64 = 0
  private(set) var slices = TimeSlices()
  private(set) var source: WaitSource?
  private var began: UInt64 = 0

  package init() {}

  /// Adds a sample: the wait that the thread is in, and how it has run.
  package mutating func advance(to next: WaitSource?, slices: TimeSlices, at now: UInt64) {
    // The change happened at any time since the last sample.
    let changed = sampledAt == 0 ? now : sampledAt + (now - sampledAt) / 2
    switch (source, next) {
    case (nil, nil): break
    case (nil, .some): began = changed
    case (.some(let old), .some(let new)):
      guard old != new || slices.count != self.slices.count else { break }
      // At least one tick passed.
      end(old, at: changed)
      began = changed
    case (.some(let old), nil): end(old, at: changed)
    }
    (source, self.slices, sampledAt) = (next, slices, now)
  }

  private mutating func end(_ source: WaitSource, at time: UInt64) {
    waits.append(Wait(number: number, began: began, ended: time, source: source))
    number += 1
  }

  /// Nil if the thread does not wait.
  var currentWaitBegan: UInt64? { source == nil ? nil : began }

  /// Returns the waits since the last call, and the one that has not ended.
  package mutating func takeWaits() -> [Wait] {
    defer { waits = [] }
    guard let source else { return waits }
    return waits + [Wait(number: number, began: began, ended: nil, source: source)]
  }
}
