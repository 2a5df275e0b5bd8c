import Synchronization

/// One target and one selector, committed from any thread, and handed to the loop once
/// however often it is committed until the loop takes it.
///
/// Keep one where other threads commit the same pair again and again. A commit of a pair
/// that the loop has not taken yet is one atomic operation, and takes no memory.
/// `LoopPort.commit` does without, but hands each commit over, and the loop coalesces
/// them.
///
/// ```swift
/// let refresh = PortTransaction(view, View.refresh, on: loop.port)
/// startThread {
///   model.append(line)
///   try? refresh.commit()
/// }
/// ```
///
/// The action runs on the loop after each commit that no earlier run covers, and sees
/// everything that the committing thread wrote before `commit()`. It carries no value:
/// where several threads write what it reads, the value that is read is the one that
/// their own lock or atomic says was written last. To merge values, commit a
/// `Selector.Carrying` by `LoopPort.commit`.
///
/// A transaction does not keep its target alive until it is committed; then the target
/// lives until it is performed. The transaction retains the port, so it counts as a
/// holder for `EventLoop.waitsForPosts`.
public final class PortTransaction: Sendable {
  private let port: LoopPort
  private unowned let target: any AnyObject & Sendable
  let address: UInt
  private let number: UInt32
  private let mark = InboxMark()

  /// A transaction of `selector` on `target`, to be committed to the loop of `port`.
  ///
  /// Call from any thread.
  public init<Target: AnyObject & Sendable>(
    _ target: Target,
    _ selector: Selector<Target>,
    on port: LoopPort
  ) {
    self.port = port
    self.target = target
    address = selector.address
    number = selector.number
  }

  /// Performs the transaction on the loop, before it next waits, unless a commit of it
  /// is still to be taken by the loop.
  ///
  /// Call from any thread. Coalesced with every other commit of the pair; its place among
  /// the loop's transactions is that of the first. On the loop's own thread the pair is
  /// pending at once; from another, when the loop has taken it. Allocates nothing, and no
  /// `EventLoop.postCapacity` refuses it.
  ///
  /// - Precondition: The target is alive.
  /// - Throws: `LoopPort.PostError` if the loop is closed.
  /// - Complexity: O(1). One atomic operation while a commit waits to be taken.
  public func commit() throws(LoopPort.PostError) {
    let core = port.core
    if core.isOnThread {
      guard core.commitOnThread(target, address, number) else { throw port.refusal }
      return
    }
    // Before the mark: a child process inherits it set, and performs nothing.
    if !core.isForked, _fastPath(mark.join()) { return }
    guard handOver(to: core) else { throw port.refusal }
  }

  @inline(never)
  private func handOver(to core: PortCore) -> Bool {
    var item = PostedItem(
      kind: PostedItem.portTransaction,
      first: UInt(bitPattern: Unmanaged.passRetained(self).toOpaque()),
      second: UInt(bitPattern: Unmanaged.passRetained(target as AnyObject).toOpaque())
    )
    switch core.append(item, unless: mark) {
    case .queued, .queuedAndWake: return true
    case nil:
      // Another thread's item waits, and stands for this one.
      item.drop()
      return true
    case .refused:
      item.drop()
      return false
    }
  }

  /// The item that stands for later commits will not be taken: the loop was released.
  func willBeDropped() { mark.clear() }

  /// Commits on the loop what waited, and takes over the item's hold of `target`.
  func wasTaken(by loop: EventLoop, target: UInt) {
    // Before the pair is pending, and so before its action runs: a commit that comes
    // after the action began to read finds the mark clear.
    mark.clear()
    loop.commits.commitPosted(selector: address, target: target)
  }
}
