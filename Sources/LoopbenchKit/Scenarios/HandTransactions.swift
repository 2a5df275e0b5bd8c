private import CLoopbench
import LoopTransactions
import Synchronization

/// `pool/transactions` by hand, in Swift on `uv_queue_work`.
///
/// Like an `AsyncTransaction`, it has an outcome for each operation, calls the
/// completions in the order they were added once all operations have ended, and
/// releases a body on the worker. An operation can be cancelled. Values have one
/// type, there are no priorities, and closing the loop does not end a
/// transaction.
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
      try slice.sample(to: finish) { operations in
        for _ in 0..<operations {
          let transaction = HandTransaction(pool)
          transaction.add { _ in
          } completion: { _ in
            cl_finish_step(steps)
          }
          transaction.commit()
        }
        pool.settle()
      }
    }
  }
}

/// Operations whose completions are called together. Loop thread only.
private final class HandTransaction {
  private let pool: UVPool
  // The operations in the order they were added, linked through them.
  @exclusivity(unchecked) private var first: HandItem?
  @exclusivity(unchecked) private var last: Unmanaged<HandItem>?
  @exclusivity(unchecked) private var unended = 0
  @exclusivity(unchecked) private var isCommitted = false

  init(_ pool: UVPool) { self.pool = pool }

  @discardableResult
  func add(
    _ body: consuming @escaping @Sendable (HandItem) throws -> Void,
    completion: consuming @escaping (AsyncTransaction.Outcome<Void>) -> Void
  ) -> HandItem {
    let item = HandItem(self, body, completion)
    if let last {
      last._withUnsafeGuaranteedRef { $0.next = item }
    } else {
      first = item
    }
    last = .passUnretained(item)
    unended += 1
    // The request has a reference of its own, which `end` takes over.
    pool.addRequest(
      { HandItem.at($0)._withUnsafeGuaranteedRef { $0.run() } },
      completion: { HandItem.at($0).takeRetainedValue().end() },
      Unmanaged.passRetained(item).toOpaque()
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
    last = nil
    while let item = first {
      first = item.next
      item.next = nil
      item.complete()
    }
  }
}

/// An operation of a ``HandTransaction``.
private final class HandItem: Unreflected, @unchecked Sendable {
  // @unchecked: the loop reads the worker's changes after the request has completed.

  /// The operation added after this one. Loop thread only.
  @exclusivity(unchecked) var next: HandItem?
  private let transaction: HandTransaction
  private let cancelled = Atomic<Bool>(false)
  @exclusivity(unchecked) private var body: (@Sendable (HandItem) throws -> Void)?
  @exclusivity(unchecked) private var hasValue = false
  @exclusivity(unchecked) private var error: (any Error)?
  @exclusivity(unchecked) private var completion: ((AsyncTransaction.Outcome<Void>) -> Void)?

  init(
    _ transaction: HandTransaction,
    _ body: consuming @escaping @Sendable (HandItem) throws -> Void,
    _ completion: consuming @escaping (AsyncTransaction.Outcome<Void>) -> Void
  ) {
    self.transaction = transaction
    self.body = body
    self.completion = completion
  }

  static func at(_ context: UnsafeMutableRawPointer?) -> Unmanaged<HandItem> {
    guard let context else { preconditionFailure("HandItem: the request has no context") }
    return Unmanaged.fromOpaque(context)
  }

  // Relaxed: the flag orders no other data.
  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }
  func cancel() { cancelled.store(true, ordering: .relaxed) }

  /// Runs on a worker.
  func run() {
    let body = body
    self.body = nil
    guard let body, !isCancelled else { return }
    do {
      try body(self)
      hasValue = true
    } catch { self.error = error }
  }

  func end() { transaction.operationEnded() }

  func complete() {
    let completion = completion
    self.completion = nil
    guard let completion else { return }
    if isCancelled { return completion(.cancelled) }
    if hasValue { return completion(.value(())) }
    completion(error.map { .failed($0) } ?? .cancelled)
  }
}
