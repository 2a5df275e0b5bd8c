import Synchronization

// Operations in a trace. X3.
extension SchedulerCore {
  /// The arrow to an operation that is about to be added. Its key is nil if the
  /// operation has no owner.
  struct Arrow {
    let key: UInt64?
    let begin: UInt64
  }

  /// Begins an arrow to an operation, if a trace runs.
  @inline(never)
  func arrowBegin(of content: borrowing OperationNode.Content) -> Arrow? {
    guard let ring = TraceThread.ring else { return nil }
    return Arrow(key: content.traceKey, begin: ring.now)
  }

  /// Records that an operation was added, and the counters then.
  @inline(never)
  func trace(_ arrow: Arrow, to handle: OperationHandle) {
    guard let ring = TraceThread.ring else { return }
    let key = arrow.key ?? handle.traceKey
    ring.writer.append(
      TraceEvent(.arrowBegin, at: arrow.begin, value: key, topic: .operation)
    )
    trace(ask { $0.traceCounters }, in: ring, at: arrow.begin)
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
    UInt64(UInt(bitPattern: node)) ^ number << 40
  }
}
