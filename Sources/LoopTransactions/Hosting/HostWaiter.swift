/// Waits for the descriptors and deadlines of all hosted loops of the process,
/// on one thread.
///
/// Any thread may use it. The thread is started with the first loop, and ends
/// after the last one. The threads of hosts change what it waits for without
/// waking it.
final class HostWaiter: Sendable {
  /// The instance of the process.
  static var shared: HostWaiter { processWide.value }

  private static let processWide = ProcessWide { HostWaiter() }

  fileprivate struct Entry {
    let host: HostCore
    let descriptor: Int32
    var isWatched = false
    var deadline = UInt64.max
  }

  /// The thread, and the descriptors it uses and closes.
  fileprivate struct Running {
    let set: WaitSet
    var thread: UInt = 0
    // The deadline of the set.
    var deadline = UInt64.max
    // The entry whose host is being called.
    var called: UInt64 = 0
  }

  fileprivate struct State {
    var entries: [UInt64: Entry] = [:]
    var lastNumber: UInt64 = 0
    // One for each thread, by number. Only the last one has entries.
    var running: [UInt64: Running] = [:]
    var current: UInt64 = 0
  }

  private let state = Locked(State())

  /// Adds a hosted loop, and returns its number. Errors contain `operation`.
  ///
  /// - Throws: `UVError` if the system refuses a descriptor or the thread.
  func add(
    _ host: HostCore,
    _ descriptor: Int32,
    for operation: String
  ) throws(UVError) -> UInt64 {
    try state.withLock { state in
      Result { () throws(UVError) in
        let set = try start(&state, operation)
        state.lastNumber += 1
        let number = state.lastNumber
        do throws(UVError) { try set.add(descriptor, number, for: operation) } catch {
          if state.entries.isEmpty { stop(&state) }
          throw error
        }
        state.entries[number] = Entry(host: host, descriptor: descriptor)
        return number
      }
    }.get()
  }

  /// Makes the thread call the host at `deadline` at the latest, and when the
  /// descriptor is readable if `isWatched`.
  ///
  /// An earlier deadline stays: an early call makes the host look again.
  func wait(_ number: UInt64, isWatched: Bool, until deadline: UInt64) {
    state.withLock { state in
      guard var entry = state.entries[number], var running = state.running[state.current] else {
        return
      }
      if isWatched, !entry.isWatched {
        entry.isWatched = true
        running.set.arm(entry.descriptor, number)
      }
      entry.deadline = min(entry.deadline, deadline)
      state.entries[number] = entry
      running.shorten(to: deadline)
      state.running[state.current] = running
    }
  }

  /// Removes a hosted loop, whose descriptor must still be open. Its host is
  /// not being called any more, unless the caller is such a call.
  func remove(_ number: UInt64) {
    let own = System.thread
    let caller: UInt64? = state.withLock { state in
      guard let entry = state.entries.removeValue(forKey: number) else { return nil }
      let current = state.current
      state.running[current]?.set.remove(entry.descriptor)
      let isCalled = state.running[current].map { $0.called == number && $0.thread != own }
      if state.entries.isEmpty { stop(&state) }
      return isCalled == true ? current : nil
    }
    guard let caller else { return }
    while state.withLock({ $0.running[caller]?.called == number }) { System.yield() }
  }
}

extension HostWaiter {
  // Under the lock, so that only one thread is started.
  private func start(_ state: inout State, _ operation: String) throws(UVError) -> WaitSet {
    if let running = state.running[state.current] { return running.set }
    let set = try WaitSet(operation)
    let number = state.lastNumber + 1
    do throws(UVError) {
      // Not kept: it ends by itself.
      _ = try JoinableThread("loop-waiter", for: operation) { [self] in run(number, set) }
    } catch {
      set.close()
      throw error
    }
    state.lastNumber = number
    state.current = number
    state.running[number] = Running(set: set)
    return set
  }

  private func stop(_ state: inout State) {
    state.running[state.current]?.set.wake()
    state.current = 0
  }

  /// The thread's body.
  private func run(_ number: UInt64, _ set: WaitSet) {
    CPUAffinity.unpin()
    state.withLock { $0.running[number]?.thread = System.thread }
    while let due = due(number, set.wait()) {
      for (entry, host, isReadable) in due {
        guard claim(entry, number) else { continue }
        let deadline = host.waiterCalled(isReadable: isReadable)
        state.withLock { state in
          state.running[number]?.called = 0
          guard let known = state.entries[entry]?.deadline else { return }
          state.entries[entry]?.deadline = min(known, deadline)
        }
      }
      state.withLock { $0.setDeadline(number) }
    }
    state.withLock { $0.running[number] = nil }
    set.close()
  }

  private typealias Due = (entry: UInt64, host: HostCore, isReadable: Bool)

  /// Returns the hosts to call, or nil if the thread must end.
  private func due(_ number: UInt64, _ readable: [UInt64]) -> [Due]? {
    state.withLock { state in
      guard state.current == number else { return nil }
      // The wait has read the timer, which may have fired. If it fired for a deadline
      // that stays the first one, `setDeadline` must set it again.
      state.running[number]?.deadline = .max
      let now = System.nanoseconds
      for number in readable { state.entries[number]?.isWatched = false }
      var due: [Due] = []
      for (number, entry) in state.entries {
        let isReadable = readable.contains(number)
        guard isReadable || entry.deadline <= now else { continue }
        if entry.deadline <= now { state.entries[number]?.deadline = .max }
        due.append((number, entry.host, isReadable))
      }
      return due
    }
  }

  // Marks the entry as being called, unless it was removed.
  private func claim(_ entry: UInt64, _ number: UInt64) -> Bool {
    state.withLock { state in
      guard state.entries[entry] != nil else { return false }
      state.running[number]?.called = entry
      return true
    }
  }
}

extension HostWaiter.State {
  fileprivate mutating func setDeadline(_ number: UInt64) {
    guard current == number else { return }
    let first = entries.values.lazy.map(\.deadline).min() ?? .max
    guard let running = running[number], running.deadline != first else { return }
    self.running[number]?.deadline = first
    running.set.setDeadline(first)
  }
}

extension HostWaiter.Running {
  fileprivate mutating func shorten(to deadline: UInt64) {
    guard deadline < self.deadline else { return }
    self.deadline = deadline
    set.setDeadline(deadline)
  }
}
