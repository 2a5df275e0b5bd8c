import Synchronization

// Operations in a trace. X3.
extension SchedulerCore {
  /// Does the same as `add(_:level:)` in a forked child, or while a trace runs.
  @inline(never)
  func addSlowly(
    _ content: consuming OperationNode.Content,
    level: Int
  ) -> OperationHandle? {
    // Read before a worker can run the operation.
    let now = TraceThread.ring?.now ?? 0
    let key = content.traceKey
    var content: OperationNode.Content? = consume content
    var counters: UInt64 = 0
    let added = change { state in
      defer { counters = state.traceCounters }
      return state.add(content.take(), level: level)
    }
    guard let added else { return nil }
    traceAdd(key ?? added.handle.traceKey, at: now, counters)
    perform(added.action)
    return added.handle
  }

  /// Does the same as `add(_:level:_:)` in a forked child, or while a trace runs.
  @inline(never)
  func addSlowly(
    _ content: consuming OperationNode.Content,
    level: Int,
    _ publish: (OperationHandle) -> Void
  ) -> Bool {
    checkProcess()
    let now = TraceThread.ring?.now ?? 0
    let key = content.traceKey
    guard addUnchecked(content, level: level, publish) else { return false }
    if let key { traceAdd(key, at: now, ask { $0.traceCounters }) }
    return true
  }

  /// Records that an operation was added at `now`, and the counters then.
  private func traceAdd(_ key: UInt64, at now: UInt64, _ counters: UInt64) {
    guard let ring = TraceThread.ring else { return }
    ring.writer.append(TraceEvent(.arrowBegin, at: now, value: key, topic: .operation))
    trace(counters, in: ring, at: now)
  }

  /// Records the counters of the scheduler, if a trace runs.
  func traceCounters() {
    if let ring = TraceThread.ring { traceCounters(in: ring) }
  }

  func traceCounters(in ring: TraceRing) {
    trace(ask { $0.traceCounters }, in: ring, at: ring.now)
  }

  private func trace(_ counters: UInt64, in ring: TraceRing, at now: UInt64) {
    let name = OwnerWord(.operation, workName.value(name)).rawValue
    ring.writer.append(
      TraceEvent(.counters, at: now, name: name, value: counters, scheduler: number)
    )
  }
}

extension SchedulerState {
  /// The counters as the value of an event.
  fileprivate var traceCounters: UInt64 {
    TraceEvent.value(queued: backlog.count, workers: awake)
  }
}

/// Numbers the schedulers of the process.
enum SchedulerNumber {
  private static let last = Atomic<UInt32>(0)

  // Relaxed: only the numbers must differ, and no other memory depends on them.
  static func next() -> UInt32 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

extension OperationNode.Content {
  /// The key of the arrows of an operation with an owner, or nil.
  var traceKey: UInt64? {
    switch self {
    case .owner(let owner): TraceEvent.key(of: owner)
    case .body: nil
    case .job: nil
    }
  }
}

extension OperationHandle {
  /// The key of the arrows of an operation without an owner.
  var traceKey: UInt64 {
    UInt64(UInt(bitPattern: node)) ^ generation << 40
  }
}
