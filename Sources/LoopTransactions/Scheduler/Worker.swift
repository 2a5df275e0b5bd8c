import Synchronization

/// One worker of a scheduler: its batch and its role.
///
/// The batch changes under the scheduler's lock. Another worker may reclaim an
/// operation of the batch until this worker has claimed it.
package final class Worker: @unchecked Sendable {
  // @unchecked: the worker writes `operations`, `count` and `batchStart` under
  // the scheduler's lock. It reads them without the lock; other threads read
  // them with it. Everything else belongs to the worker.

  /// The largest batch.
  package static var capacity: Int { 32 }

  private let operations = UnsafeMutablePointer<OperationHandle>.allocate(capacity: capacity)
  @exclusivity(unchecked) private(set) var count = 0
  // One bit per operation, set if the worker has run it.
  @exclusivity(unchecked) private var performed: UInt32 = 0

  /// How many operations the worker dequeues at once.
  @exclusivity(unchecked) package var batchLimit = 1
  /// When the batch was dequeued, in cycles.
  @exclusivity(unchecked) var batchStart: UInt64 = 0
  /// When the worker was woken, in cycles.
  @exclusivity(unchecked) var awakeSince: UInt64 = 0
  /// Whether the worker counts as searching. True for a new worker.
  @exclusivity(unchecked) package var isSearching = true
  /// Whether the worker runs the operation of the aging slot.
  @exclusivity(unchecked) var isInAgingSlot = false
  /// Whether the worker wakes up periodically to monitor the batches of other
  /// workers.
  @exclusivity(unchecked) package internal(set) var isMonitoring = false

  // Where the worker publishes the operation that it runs. Nil until there was a
  // reader.
  @exclusivity(unchecked) private var slot: WorkSlot?
  // The last published name. Operations of one transaction often have one name,
  // and looking it up takes a lock.
  @exclusivity(unchecked) private var lastName: (text: String, name: WorkName)?

  // The address of the owner that the worker runs, or 0. The lowest bit is set
  // while another thread reads the owner's name; the worker then waits.
  private let published = Atomic<UInt>(0)

  package init() {}

  deinit {
    slot?.free()
    operations.deallocate()
  }

  /// Returns the slot where the worker publishes the operation that it runs.
  func claimSlot(_ name: String) -> WorkSlot? {
    if slot == nil { slot = .claim(.worker, name: name) }
    return slot
  }

  /// The name that the worker publishes for an operation called `text`.
  func workName(_ text: String) -> WorkName {
    if let lastName, lastName.text == text { return lastName.name }
    let name = WorkName(text)
    lastName = (text, name)
    return name
  }

  /// Lets `runningTitle` name the operation of `owner`, which this worker runs.
  @inline(__always)
  func publish(_ owner: any OperationOwner) {
    // Release: pairs with the acquire in `runningTitle`.
    published.store(UInt(addressOf: owner), ordering: .releasing)
  }

  /// Ends what `publish(_:)` began. The owner may be released afterwards.
  @inline(__always)
  func unpublish(_ owner: any OperationOwner) {
    let address = UInt(addressOf: owner)
    // Acquire: pairs with the release in `runningTitle`, which has read the owner.
    while !published.compareExchange(expected: address, desired: 0, ordering: .acquiring).exchanged
    {
      System.pause()
    }
  }

  /// The name of the operation that the worker runs, unless its body is a plain
  /// closure. Call from any thread, while the worker exists.
  var runningTitle: String? {
    let address = published.load(ordering: .relaxed)
    guard address != 0, address & 1 == 0 else { return nil }
    // Acquire: pairs with the release in `publish(_:)`.
    let (isOurs, _) = published.compareExchange(
      expected: address,
      desired: address | 1,
      ordering: .acquiring
    )
    guard isOurs else { return nil }
    defer { published.store(address, ordering: .releasing) }
    return (KeyedObject.at(address).takeUnretainedValue() as? any OperationOwner)?.title
  }

  /// The operations of the batch, in order.
  package var batch: [OperationHandle] { (0..<count).map { operations[$0] } }

  /// Appends `node` to the batch.
  func append(_ node: OperationNode.Pointer) {
    operations[count] = OperationHandle(node: node)
    count += 1
  }

  /// Claims each operation that was not reclaimed and calls `body` with it.
  /// Returns the number of claimed operations.
  package func claimEach(_ body: (OperationHandle) -> Void) -> Int {
    var claimed = 0
    for index in 0..<count where operations[index].claim() {
      performed |= 1 << UInt32(index)
      claimed += 1
      body(operations[index])
    }
    return claimed
  }

  /// Leaves an operation that the worker has claimed to another thread, which
  /// ends it.
  func handOver(_ operation: OperationHandle) {
    for index in 0..<count where operations[index].node == operation.node {
      performed &= ~(1 << UInt32(index))
    }
  }

  /// Calls `body` with each operation that is not claimed yet, in reverse
  /// order.
  func forEachUnclaimed(_ body: (OperationHandle) -> Void) {
    for index in (0..<count).reversed() where operations[index].isDequeued {
      body(operations[index])
    }
  }

  /// Empties the batch, and calls `body` with each operation that the worker
  /// ran.
  func removeAll(_ body: (OperationHandle) -> Void) {
    for index in 0..<count where performed & 1 << UInt32(index) != 0 { body(operations[index]) }
    count = 0
    performed = 0
  }

  /// Whether the worker has run long enough to yield to other schedulers.
  // About 0.5 ms. Switching costs about 20 us. Not measured.
  var hasWorkedLong: Bool { System.cycles &- awakeSince >= 64 * System.fewMicroseconds }

  /// Whether the current operation takes so long that other workers should run
  /// the remaining operations of the batch.
  // About 60 us. A batch is sized for 5 us. Not measured.
  func isStalled(at now: UInt64) -> Bool {
    // Signed, because the caller may have read the counter before the batch was
    // dequeued.
    Int64(bitPattern: now &- batchStart) >= Int64(bitPattern: 8 * System.fewMicroseconds)
  }
}
