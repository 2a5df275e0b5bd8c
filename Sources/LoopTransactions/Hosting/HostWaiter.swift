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

  /// A thread, and the descriptors it uses and closes.
  fileprivate final class Runner: @unchecked Sendable {
    // @unchecked: `set` is constant. The waiter's lock protects the variables.
    let set: WaitSet
    var thread: UInt = 0
    // The deadline of the set.
    var deadline = UInt64.max
    // The entry whose host is being called.
    var called: UInt64 = 0

    init(_ set: WaitSet) { self.set = set }
  }

  fileprivate struct State {
    var entries: [UInt64: Entry] = [:]
    var lastNumber: UInt64 = 0
    // Serves the entries. Nil if there are none.
    var runner: Runner?
  }

  private let state = Locked(State())

  /// Adds a hosted loop, and returns its number. Errors contain `operation`.
  ///
  /// - Throws: `UVError` if the system refuses a descriptor or the thread.
  func add(_ host: HostCore, descriptor: Int32, for operation: String) throws(UVError) -> UInt64 {
    try state.withLock { state in
      Result { () throws(UVError) in
        let runner = try start(&state, operation)
        state.lastNumber += 1
        let number = state.lastNumber
        do throws(UVError) { try runner.set.add(descriptor, number, for: operation) } catch {
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
      guard var entry = state.entries[number], let runner = state.runner else { return }
      if isWatched, !entry.isWatched {
        entry.isWatched = true
        runner.set.arm(entry.descriptor, number)
      }
      entry.deadline = min(entry.deadline, deadline)
      state.entries[number] = entry
      if deadline < runner.deadline { runner.setDeadline(deadline) }
    }
  }

  /// Removes a hosted loop, whose descriptor must still be open. Its host is
  /// not being called any more, unless the caller is such a call.
  func remove(_ number: UInt64) {
    let caller: Runner? = state.withLock { state in
      guard let entry = state.entries.removeValue(forKey: number), let runner = state.runner else {
        return nil
      }
      runner.set.remove(entry.descriptor)
      if state.entries.isEmpty { stop(&state) }
      return runner.called == number && runner.thread != System.thread ? runner : nil
    }
    guard let caller else { return }
    while state.withLock({ _ in caller.called == number }) { System.yield() }
  }
}

extension HostWaiter {
  // Under the lock, so that only one thread is started.
  private func start(_ state: inout State, _ operation: String) throws(UVError) -> Runner {
    if let runner = state.runner { return runner }
    let runner = Runner(try WaitSet(operation))
    do throws(UVError) {
      // Not kept: it ends by itself.
      _ = try JoinableThread("loop-waiter", for: operation) { [self] in run(runner) }
    } catch {
      runner.set.close()
      throw error
    }
    state.runner = runner
    return runner
  }

  private func stop(_ state: inout State) {
    state.runner?.set.wake()
    state.runner = nil
  }

  /// The thread's body.
  private func run(_ runner: Runner) {
    CPUAffinity.unpin()
    state.withLock { _ in runner.thread = System.thread }
    while let due = due(runner, runner.set.wait()) {
      for (entry, host, isReadable) in due {
        guard claim(entry, runner) else { continue }
        let deadline = host.waiterCalled(isReadable: isReadable)
        state.withLock { state in
          runner.called = 0
          guard let known = state.entries[entry]?.deadline else { return }
          state.entries[entry]?.deadline = min(known, deadline)
        }
      }
      state.withLock { state in
        let first = state.entries.values.lazy.map(\.deadline).min() ?? .max
        if state.runner === runner, runner.deadline != first { runner.setDeadline(first) }
      }
    }
    runner.set.close()
  }

  private typealias Due = (entry: UInt64, host: HostCore, isReadable: Bool)

  /// Returns the hosts to call, or nil if the thread must end.
  private func due(_ runner: Runner, _ readable: [UInt64]) -> [Due]? {
    state.withLock { state in
      guard state.runner === runner else { return nil }
      // The wait has read the timer, which may have fired. If it fired for a deadline
      // that stays the first one, the timer must be set again.
      runner.deadline = .max
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
  private func claim(_ entry: UInt64, _ runner: Runner) -> Bool {
    state.withLock { state in
      guard state.entries[entry] != nil else { return false }
      runner.called = entry
      return true
    }
  }
}

extension HostWaiter.Runner {
  fileprivate func setDeadline(_ deadline: UInt64) {
    self.deadline = deadline
    set.setDeadline(deadline)
  }
}
