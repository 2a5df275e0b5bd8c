extension EventLoop {
  /// A closure that a loop calls once, when it has nothing else to do.
  ///
  /// Created by `EventLoop.whenIdle`. Belongs to the loop's thread.
  public final class IdleBlock {
    private let blocks: IdleBlocks
    let core: PortCore
    let place: SourcePlace
    private var body: (() -> Void)?  // loop only

    init(
      in blocks: IdleBlocks,
      core: PortCore,
      place: SourcePlace,
      _ body: @escaping () -> Void
    ) {
      self.blocks = blocks
      self.core = core
      self.place = place
      self.body = body
    }

    /// Whether the block has neither been called nor cancelled.
    ///
    /// Call on the loop.
    public var isWaiting: Bool {
      core.checkThread("EventLoop.IdleBlock.isWaiting")
      return body != nil
    }

    /// Cancels the block and releases the objects that it captured.
    ///
    /// Call on the loop. Does nothing if the block has been called.
    ///
    /// - Complexity: O(1).
    public func cancel() {
      core.checkThread("EventLoop.IdleBlock.cancel")
      // Released last, because a `deinit` of the captures may use the loop.
      if let body = claimBody() { withExtendedLifetime(body) { blocks.didCancel() } }
    }

    /// Whether the block can still be called. Does not check the thread, because
    /// a loop released while open may be released on any thread.
    var isLive: Bool { body != nil }

    /// Removes and returns the closure.
    func claimBody() -> (() -> Void)? { body.take() }
  }
}

extension EventLoop {
  /// Calls `body` once, when the loop has nothing else to do.
  ///
  /// Call on the loop. Blocks are called in the order they were added, at
  /// `afterWaiting`, one per tick. A tick calls one just after it has served
  /// ready events, if no post, transaction, element or other work is pending
  /// and the tick's budget is not spent. So a block delays an event by at most
  /// its own duration. While other work keeps arriving, blocks wait.
  ///
  /// The loop does not block, and its run does not end, while a block waits. A
  /// run that is stopped leaves blocks to the next run. `close()` calls the
  /// blocks that wait. Blocks that keep adding blocks are then released without
  /// being called.
  ///
  /// Corresponds to `requestIdleCallback` in browsers. Modelled on AsyncUI.
  ///
  /// ```swift
  /// for card in cards { loop.whenIdle { card.prepare() } }
  /// ```
  ///
  /// - Parameters:
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - body: Called on the loop, and released there.
  /// - Returns: A handle to cancel the block. The loop keeps it.
  /// - Complexity: O(1).
  @discardableResult
  public func whenIdle(
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping () -> Void
  ) -> IdleBlock {
    checkUsable("EventLoop.whenIdle")
    let blocks = part(IdleBlocks.self)
    let block = IdleBlock(in: blocks, core: core, place: SourcePlace(fileID, line), body)
    blocks.append(block)
    return block
  }

  /// Whether the loop has no work other than idle blocks.
  fileprivate var isIdleOtherwise: Bool {
    pendingWorkCount == 1 && postsLeft == 0 && !core.inbox.isFilled && !isStopWanted
  }
}

/// The idle blocks of a loop. Loop thread only.
///
/// Blocks are called at `afterWaiting`, when the poll has just served all ready
/// events. Before the poll, a block would delay events that were ready already.
final class IdleBlocks: LoopPart {
  // All unchecked, because no other code runs while one changes.
  @exclusivity(unchecked) private unowned(unsafe) var loop: EventLoop?
  // Added with the first block, so that a loop without blocks makes no pass.
  @exclusivity(unchecked) private var observer: Observer?
  // In the order added, from `first` on. Some may have been cancelled.
  @exclusivity(unchecked) private var blocks: [EventLoop.IdleBlock] = []
  @exclusivity(unchecked) private var first = 0
  @exclusivity(unchecked) private var live = 0
  @exclusivity(unchecked) private var isClosed = false

  func attach(to loop: EventLoop) { self.loop = loop }

  /// Adds `block`. Releases its closure if the loop accepts no more.
  fileprivate func append(_ block: EventLoop.IdleBlock) {
    guard let loop, !isClosed else { return _ = block.claimBody() }
    blocks.append(block)
    live += 1
    let observer = observer ?? makeObserver(on: loop)
    observer.setPending(true)
  }

  /// Called when a waiting block was cancelled.
  fileprivate func didCancel() {
    live -= 1
    didRemoveBlocks()
  }

  private func makeObserver(on loop: EventLoop) -> Observer {
    let observer = loop.addObserver(for: .afterWaiting, order: .max, place: nil) {
      [unowned(unsafe) self] _ in callNext()
    }
    observer.isResting = true
    self.observer = observer
    return observer
  }

  /// Calls the next block if the loop has nothing else to do. L9.
  private func callNext() {
    guard let loop, loop.isIdleOtherwise, loop.meter.hasRoom else { return }
    guard let (body, place) = next() else { return }
    loop.meter.begin()
    loop.meter.didPerform()
    loop.recorded(OwnerWord(.idleBlock, place)) { body() }
    loop.endFlush()
  }

  /// Removes the closure of the first block that was not cancelled.
  private func next() -> (body: () -> Void, place: SourcePlace)? {
    defer { didRemoveBlocks() }
    while first < blocks.count {
      let block = blocks[first]
      first += 1
      guard let body = block.claimBody() else { continue }
      live -= 1
      return (body, block.place)
    }
    return nil
  }

  /// Lets the loop block if no block waits, and forgets blocks that do not wait.
  private func didRemoveBlocks() {
    if live == 0 {
      blocks = []
      first = 0
      observer?.setPending(false)
    } else if blocks.count > 2 * live + 64 {
      // Costs less than adding the forgotten blocks did. 64: not measured.
      blocks.removeAll { !$0.isLive }
      first = 0
    }
  }

  // Closing the loop.

  var holdsAnything: Bool { live > 0 }

  var isUnfinished: Bool { live > 0 }

  func finish() { for _ in 0..<live { next()?.body() } }

  func finishForGood() {
    isClosed = true
    finish()
  }

  func drop() { while let next = next() { withExtendedLifetime(next) {} } }

  func loopDidClose() {
    isClosed = true
    observer = nil
    drop()
    loop = nil
  }
}
