import LoopTransactions

/// The permits of a process, done in the simplest way.
struct ModelPermits {
  var limit: Int
  private(set) var out = 0
  private(set) var requests: [SchedulerState.WorkerAction] = []
  /// How many another scheduler has.
  private(set) var others = 0

  init(limit: Int) { self.limit = limit }

  /// Whether it is granted now; else it waits.
  mutating func acquire(_ action: SchedulerState.WorkerAction) -> Bool {
    guard out < limit, requests.isEmpty else {
      requests.append(action)
      return false
    }
    out += 1
    return true
  }

  mutating func release() { out -= 1 }

  /// The next request, if it may go on.
  mutating func grant() -> SchedulerState.WorkerAction? {
    guard out < limit, !requests.isEmpty else { return nil }
    out += 1
    return requests.removeFirst()
  }

  mutating func othersTake() -> Bool {
    guard out < limit, requests.isEmpty else { return false }
    out += 1
    others += 1
    return true
  }

  mutating func othersGive() -> Bool {
    guard others > 0 else { return false }
    out -= 1
    others -= 1
    return true
  }
}
