import LoopTransactions

/// The simplest implementation of a process's permits.
struct ModelPermits {
  var limit: Int
  private(set) var out = 0
  private(set) var requests: [SchedulerState.WorkerAction] = []
  /// The number of permits another scheduler has.
  private(set) var others = 0

  init(limit: Int) { self.limit = limit }

  /// Returns true if a permit is granted now. Otherwise the request waits.
  mutating func acquire(_ action: SchedulerState.WorkerAction) -> Bool {
    guard out < limit, requests.isEmpty else {
      requests.append(action)
      return false
    }
    out += 1
    return true
  }

  mutating func release() { out -= 1 }

  /// Removes and returns the next request, if a permit is free.
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
