/// What one worker has in its hands.
///
/// The worker's own; what it took changes under its scheduler's lock, under which
/// others may take it back as long as it has not begun.
package final class Worker: @unchecked Sendable {
  // @unchecked: `taken`, `count` and `batchStart` are written by the worker under the
  // scheduler's lock, and read by it, or by others under the lock; the rest is the
  // worker's.

  /// How many operations a worker takes at most.
  package static var capacity: Int { 32 }

  private let operations = UnsafeMutablePointer<OperationHandle>.allocate(capacity: capacity)
  @exclusivity(unchecked) private(set) var count = 0
  // Which of them the worker has run, a bit each.
  @exclusivity(unchecked) private var performed: UInt32 = 0

  /// How many it may take at once.
  @exclusivity(unchecked) package var batchLimit = 1
  /// When it took them, in cycles.
  @exclusivity(unchecked) var batchStart: UInt64 = 0
  /// When it woke, in cycles.
  @exclusivity(unchecked) var awakeSince: UInt64 = 0
  /// Whether it counts as searching: it was just started, so it does.
  @exclusivity(unchecked) package var isSearching = true
  /// Whether it is at the oldest operation.
  @exclusivity(unchecked) var isInAgingSlot = false
  /// Whether it sleeps only for a while, to see what becomes of others' batches.
  @exclusivity(unchecked) package internal(set) var isMonitoring = false

  package init() {}

  deinit { operations.deallocate() }

  /// What it took, in this order.
  package var batch: [OperationHandle] { (0..<count).map { operations[$0] } }

  /// Takes `node` to the end.
  func append(_ node: OperationNode.Pointer) {
    operations[count] = OperationHandle(node: node)
    count += 1
  }

  /// Calls `body` with each that nobody took back, which is then the worker's; how
  /// many there were.
  package func claimEach(_ body: (OperationHandle) -> Void) -> Int {
    var claimed = 0
    for index in 0..<count where operations[index].claim() {
      performed |= 1 << UInt32(index)
      claimed += 1
      body(operations[index])
    }
    return claimed
  }

  /// Calls `body` with each that has not begun, as far as it is known; last first.
  func forEachUnclaimed(_ body: (OperationHandle) -> Void) {
    for index in (0..<count).reversed() where operations[index].isDequeued {
      body(operations[index])
    }
  }

  /// Empties it; `body` is told each that the worker has run.
  func removeAll(_ body: (OperationHandle) -> Void) {
    for index in 0..<count where performed & 1 << UInt32(index) != 0 { body(operations[index]) }
    count = 0
    performed = 0
  }

  /// Whether it has worked for long enough to let others have a turn.
  // 64 readings, some 0.5 ms: switching costs some 20 us. Guess.
  var hasWorkedLong: Bool { System.cycles &- awakeSince >= 64 * System.cyclesPerReading }

  /// Whether it is held up, so that others had better run what it took, at `now`.
  // 8 readings, some 60 us: what is taken at once takes 5. Guess.
  func isStalled(at now: UInt64) -> Bool {
    // Signed: who asks may have read the counter before it took them.
    Int64(bitPattern: now &- batchStart) >= Int64(bitPattern: 8 * System.cyclesPerReading)
  }
}
