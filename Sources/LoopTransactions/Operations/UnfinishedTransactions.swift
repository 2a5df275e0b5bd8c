/// The async transactions of a loop that are not complete.
///
/// Belongs to the loop's thread. Knows those that are open; keeps those that were
/// committed alive, and the loop's run going for them.
final class UnfinishedTransactions {
  private struct Member {
    unowned(unsafe) let transaction: AsyncTransaction
    /// Set from its commit on.
    var kept: AsyncTransaction?
  }

  // By a number that grows: the order in which they were opened.
  private var members: [UInt64: Member] = [:]
  private var last: UInt64 = 0
  private var committed = 0
  private unowned(unsafe) var loop: EventLoop?
  private var port: LoopPort?

  init(loop: EventLoop) { self.loop = loop }

  var isEmpty: Bool { members.isEmpty }

  /// Takes note of `transaction`, which was opened; its number here.
  func open(_ transaction: AsyncTransaction) -> UInt64 {
    last += 1
    members[last] = Member(transaction: transaction)
    return last
  }

  /// Keeps `transaction`, which is committed.
  func keep(_ transaction: AsyncTransaction) {
    members[transaction.number]?.kept = transaction
    committed += 1
    if committed == 1, let loop, loop.state != .closing { port = loop.port }
  }

  /// Lets go of transaction `number`: it is complete, or was dropped while empty.
  func remove(_ number: UInt64) {
    guard let member = members.removeValue(forKey: number), member.kept != nil else { return }
    committed -= 1
    if committed == 0 { port = nil }
  }

  /// Cancels every one, waits for operations that run, and calls the completions:
  /// oldest first.
  func finishAll() {
    guard !members.isEmpty else { return }
    let all = members.sorted { $0.key < $1.key }.map(\.value.transaction)
    for transaction in all { transaction.cancelForGood() }
    for transaction in all { transaction.waitUntilComplete() }
  }

  /// The loop goes without having been closed: nothing completes any more.
  func abandon() {
    loop = nil
    port = nil
    committed = 0
    // Released outside the access: each takes itself out.
    let all = members
    members = [:]
    withExtendedLifetime(all) {}
  }
}
