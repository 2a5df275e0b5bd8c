private import CLoopbench
import LoopTransactions
import Synchronization

/// `pool/transactions` by hand, in Swift on `uv_queue_work`.
///
/// Like an `AsyncTransaction`, it has an outcome for each operation, calls the
/// completions in the order they were added once all operations have ended, and
/// releases a body on the worker. An operation can be cancelled. It has no
/// priorities, and closing the loop does not end a transaction.
struct HandTransactions: Peer {
  let name = "hand"
  let scenario = "pool"
  let series = ["transactions"]
  let isReference = true
  let isStandard = false
  let summary = "Swift on uv_queue_work: outcomes, and completions in order; no priorities: a floor"

  func measure(_ slice: inout Slice) throws(PeerError) {
    try UVPool.open().closing { (pool) throws(PeerError) in
      let finish = CompletionCounter()
      let steps = finish.pointer
      try slice.sample { (operations) throws(PeerError) in
        finish.reset(target: operations)
        let began = cl_now()
        for _ in 0..<operations {
          let transaction = HandTransaction(pool)
          transaction.add { _ in } completion: { _ in cl_finish_step(steps) }
          transaction.commit()
        }
        pool.settle()
        return try finish.nanoseconds(since: began)
      }
    }
  }
}

/// Operations whose completions are called together. Loop thread only.
private final class HandTransaction {
  private let pool: UVPool
  @exclusivity(unchecked) private var items: [HandItem] = []
  @exclusivity(unchecked) private var unended = 0
  @exclusivity(unchecked) private var isCommitted = false

  init(_ pool: UVPool) { self.pool = pool }

  @discardableResult
  func add<Value: Sendable>(
    _ body: consuming @escaping @Sendable (HandItem) throws -> Value,
    completion: consuming @escaping (AsyncTransaction.Outcome<Value>) -> Void
  ) -> HandItem {
    let item = HandValueItem(self, body, completion)
    items.append(item)
    unended += 1
    // The request has a reference of its own, which `end` takes over.
    let context = Unmanaged.passRetained(item as HandItem).toOpaque()
    pool.addRequest(
      { HandItem.at($0)._withUnsafeGuaranteedRef { $0.run() } },
      completion: { HandItem.at($0).takeRetainedValue().end() },
      context
    )
    return item
  }

  func commit() {
    isCommitted = true
    completeIfEnded()
  }

  func operationEnded() {
    unended -= 1
    completeIfEnded()
  }

  private func completeIfEnded() {
    guard isCommitted, unended == 0 else { return }
    let items = items
    // Breaks the cycle with the items.
    self.items = []
    for item in items { item.complete() }
  }
}

/// An operation of a ``HandTransaction``.
private class HandItem: Unreflected, @unchecked Sendable {
  // @unchecked: the loop sees the changes of a worker after `uv_queue_work`.

  private let transaction: HandTransaction
  private let cancelled = Atomic<Bool>(false)

  init(_ transaction: HandTransaction) { self.transaction = transaction }

  static func at(_ context: UnsafeMutableRawPointer?) -> Unmanaged<HandItem> {
    guard let context else { preconditionFailure("HandItem: the request has no context") }
    return Unmanaged.fromOpaque(context)
  }

  // Relaxed: the flag orders no other data.
  final var isCancelled: Bool { cancelled.load(ordering: .relaxed) }
  final func cancel() { cancelled.store(true, ordering: .relaxed) }

  /// Runs on a worker.
  func run() {}

  func complete() {}

  final func end() { transaction.operationEnded() }
}

private final class HandValueItem<Value: Sendable>: HandItem, @unchecked Sendable {
  // @unchecked: see `HandItem`.

  @exclusivity(unchecked) private var body: (@Sendable (HandItem) throws -> Value)?
  @exclusivity(unchecked) private var outcome = AsyncTransaction.Outcome<Value>.cancelled
  @exclusivity(unchecked) private var completion: ((AsyncTransaction.Outcome<Value>) -> Void)?

  init(
    _ transaction: HandTransaction,
    _ body: consuming @escaping @Sendable (HandItem) throws -> Value,
    _ completion: consuming @escaping (AsyncTransaction.Outcome<Value>) -> Void
  ) {
    self.body = body
    self.completion = completion
    super.init(transaction)
  }

  override func run() {
    guard let body = body.take(), !isCancelled else { return }
    do { outcome = .value(try body(self)) } catch { outcome = .failed(error) }
  }

  override func complete() {
    guard let completion = completion.take() else { return }
    completion(isCancelled ? .cancelled : outcome)
  }
}
