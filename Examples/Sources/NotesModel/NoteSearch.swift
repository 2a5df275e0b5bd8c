package import LoopTransactions

/// Finds notes on workers. The results arrive in batches, the newest notes first.
///
/// Belongs to the loop's thread. A new search makes the earlier one stale: its queued
/// operations do not run, its running ones end early, and its results are dropped.
package final class NoteSearch {
  /// The results of one part of the notebook.
  private struct Found: Sendable {
    let search: UInt64
    let part: Int
    let ids: [Int]
  }

  // An operation searches this many shards. Not measured.
  private static let shardsPerPart = 4

  package private(set) var isRunning = false

  private let loop: EventLoop
  private let scheduler: OperationScheduler
  private let current = Sentinel()
  private var transaction: AsyncTransaction?
  private var partCount = 0
  private var parts = InOrder<[Int]>()
  private var deliver: ([Int]) -> Void = { _ in }
  private lazy var results = RunLoopValueQueue<Found>(on: loop, batchSize: .unlimited) {
    [unowned self] found, _ in arrived(found)
  }

  package init(on loop: EventLoop, scheduler: OperationScheduler) {
    self.loop = loop
    self.scheduler = scheduler
  }

  /// Searches a copy of the notebook.
  ///
  /// - Parameter deliver: Receives matching identifiers in descending order, on the loop.
  ///   Each batch continues the earlier one. An empty batch may arrive.
  package func start(_ query: Query, in notebook: Notebook, deliver: @escaping ([Int]) -> Void) {
    cancel()
    let (search, current, results) = (current.value, current, results)
    let ranges = Self.parts(of: notebook)
    (partCount, isRunning, self.deliver) = (ranges.count, !ranges.isEmpty, deliver)
    let transaction = AsyncTransaction(on: loop, name: "search", scheduler: scheduler)
    for (part, shards) in ranges.enumerated() {
      transaction.add("search", priority: .interactive) { _ in
        var ids: [Int] = []
        for shard in shards.reversed() {
          guard current.value == search else { return }
          for note in notebook.shards[shard].reversed() where query.matches(note) {
            ids.append(note.id)
          }
        }
        results.enqueue(Found(search: search, part: part, ids: ids))
      }
    }
    transaction.commit()
    self.transaction = transaction
  }

  /// Makes the search stale.
  package func cancel() {
    current.advance()
    transaction?.cancel()
    (transaction, isRunning, parts) = (nil, false, InOrder())
    deliver = { _ in }
  }

  private func arrived(_ found: Found) {
    guard found.search == current.value else { return }
    for ids in parts.arrived(found.ids, number: found.part) {
      isRunning = parts.next < partCount
      deliver(ids)
    }
  }

  /// The ranges of shards that one operation searches, the newest first.
  private static func parts(of notebook: Notebook) -> [Range<Int>] {
    stride(from: notebook.shards.count, to: 0, by: -shardsPerPart).map {
      max(0, $0 - shardsPerPart)..<$0
    }
  }
}
