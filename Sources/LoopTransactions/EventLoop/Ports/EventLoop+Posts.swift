extension EventLoop {
  /// Runs `body` later on the loop, before the loop blocks.
  ///
  /// Call on the loop. Unlike the closure of `LoopPort.post`, `body` need not
  /// be `Sendable`. It never runs inside this call. Posts of the loop's thread
  /// run in the order posted, within the tick's budget. A tick runs the posts
  /// made before it, then those of other threads, and then a limited number of
  /// posts that these posts have made: rule L2 of docs/rules.md. So posts that
  /// keep posting do not block the loop, but `run()` does not return until
  /// `stop()`. `postCapacity` does not limit them. Takes no lock, and allocates
  /// nothing beyond the closure's captures.
  ///
  /// A post that is made while the loop closes runs before `close()` returns.
  /// Posts that keep posting are then dropped and reported on standard error. A
  /// `deinit` that runs because `close()` drops an object can no longer post:
  /// `body` is released. In a forked child, the inherited loop does not run
  /// `body`.
  ///
  /// - Parameters:
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - body: Called once on the loop, and released there.
  /// - Complexity: O(1).
  @inlinable
  @inline(__always)
  public func post(
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: consuming @escaping () -> Void
  ) {
    // Inlined, so that the compiler computes the place.
    post(consume body, at: SourcePlace(fileID, line))
  }

  @usableFromInline
  func post(_ body: consuming @escaping () -> Void, at place: SourcePlace) {
    checkThread("EventLoop.post")
    if _slowPath(state.isEnding || isTraced) {
      return postChecked(PostedItem(consume body, at: place))
    }
    received.local.append(PostedItem(consume body, at: place))
    arm()
  }

  /// Drops the posts that remain when the loop closes, and reports them.
  func dropPosts() {
    let count = postsLeft
    guard count > 0 else { return }
    System.logToStandardError("EventLoop.close: dropped \(count) posts that kept posting")
    refuseAccepted()
  }

  /// Runs the items posted before this call, within the budget. The loop's own
  /// posts run first, then the posts of other threads, then up to
  /// `maxFollowingPosts` of the posts that these have made. The others run after
  /// the next poll.
  @inline(__always)
  func runPosts() {
    let isFilled = received.isBacklogged || core.inbox.isFilled
    if isFilled || postsLeft > 0 { runBatches(draining: isFilled) }
  }

  /// Runs posts within the budget. Drains the inbox only if `drains` is true.
  /// Returns true if the inbox could not be drained yet, because a batch from
  /// it had not run to its end.
  func runPosts(draining drains: Bool) -> Bool {
    let isBehind = drains && received.inboxBatch.pointee.remaining > 0
    if drains || postsLeft > 0 { runBatches(draining: drains) }
    return isBehind
  }

  /// The number of posts that the loop has received but not run yet.
  @inline(__always)
  var postsLeft: Int { received.count }

  @inline(never)
  private func runBatches(draining isFilled: Bool) {
    let isMeasured = _slowPath(core.needsSlowTick)
    if isMeasured, core.isForked { return }
    if received.localBatch.pointee.remaining == 0 {
      swap(&received.local, &received.localBatch.pointee)
    }
    if received.inboxBatch.pointee.remaining == 0, isFilled { drainInbox() }
    guard postsLeft > 0 else { return }
    if isMeasured { enterTick() }
    meter.begin()
    // Read once. If a post begins or ends the recording, the change takes effect
    // after this call.
    let recorder = recorder
    let outer = recorder?.pointee.enter()
    runBatch(received.localBatch, recorder)
    runBatch(received.inboxBatch, recorder)
    if _slowPath(received.local.remaining > 0) { runFollowingPosts(recorder) }
    if let recorder, let outer { recorder.pointee.end(outer) }
    core.metrics.pendingPosts.set(UInt64(postsLeft))
  }

  @inline(__always)
  private func run(_ item: inout PostedItem, _ recorder: UnsafeMutablePointer<Recorder>?) {
    if let recorder { recorder.pointee.begin(item.owner, arrow: core.traceKey(of: item)) }
    item.run(on: self)
  }

  /// Moves the posts of other threads out of the inbox.
  ///
  /// Each check of the inbox takes its cache lines away from the posting
  /// threads, which costs about 0.5 us in total. While threads post without
  /// pause, the loop checks at most every 7 us, and once more before it decides
  /// to sleep. A loop that has other work does not wait here. This lowers the
  /// cost from 18 to 11 ns per item.
  private func drainInbox() {
    if received.isBacklogged {
      while System.cycles &- received.lastInboxCheck < System.fewMicroseconds { System.pause() }
    }
    core.inbox.drain(into: &received.inboxBatch.pointee)
    received.isBacklogged = received.inboxBatch.pointee.remaining >= Self.backlogThreshold
    if received.isBacklogged { received.lastInboxCheck = System.cycles }
  }

  /// Runs posts that the posts just run have made, unless an earlier post still
  /// waits. A task that calls an actor of the loop needs one job for the call
  /// and one job for the return. With a tick for each job, the call would poll
  /// the kernel twice, which costs three times as much as the call itself.
  @inline(never)
  private func runFollowingPosts(_ recorder: UnsafeMutablePointer<Recorder>?) {
    // Items left in a batch were posted earlier, so they must run first.
    guard received.localBatch.pointee.remaining == 0, received.inboxBatch.pointee.remaining == 0
    else { return }
    var count: UInt64 = 0
    var kind: UInt = 0
    while count < Self.maxFollowingPosts, received.local.remaining > 0,
      meter.allowsMore(after: kind)
    {
      var item = received.local.removeFirst()
      count &+= 1
      meter.didPerform()
      kind = item.similarityKey
      run(&item, recorder)
    }
    if received.local.remaining == 0 { received.local.reset() }
    core.metrics.posts.add(count)
  }

  // With 32 posts a chain spends a fifth of its time on ticks, and still allows
  // events every few microseconds.
  private static let maxFollowingPosts: UInt64 = 32

  // 16 is more than a few threads post if each posts one item. Not measured.
  private static let backlogThreshold = 16

  @inline(__always)
  private func runBatch(
    _ batch: UnsafeMutablePointer<ItemBuffer>,
    _ recorder: UnsafeMutablePointer<Recorder>?
  ) {
    guard batch.pointee.remaining > 0 else { return }
    // Counted here and not computed from `remaining`, because an item that
    // closes an adopted loop runs the remaining items.
    var count: UInt64 = 0
    var kind: UInt
    repeat {
      var item = batch.pointee.removeFirst()
      count &+= 1
      meter.didPerform()
      kind = item.similarityKey
      run(&item, recorder)
    } while batch.pointee.remaining > 0 && meter.allowsMore(after: kind)
    core.metrics.posts.add(count)
    if batch.pointee.remaining == 0 {
      batch.pointee.reset()
    } else {
      core.metrics.carriedOver.add()
    }
  }
}

/// The posts that a loop has received and not run yet. Loop only.
struct ReceivedPosts {
  /// The posts that the loop's own thread made since the last batch began.
  var local = ItemBuffer()
  /// The running batch of these posts. Behind a pointer, because a post may close
  /// an adopted loop, which runs the rest of the batch.
  let localBatch = ItemBuffer.allocate()
  /// The running batch of other threads' posts.
  let inboxBatch = ItemBuffer.allocate()

  /// Whether the last inbox check found so many posts that more are expected,
  /// and the cycle count at that check.
  var isBacklogged = false
  var lastInboxCheck: UInt64 = 0

  @inline(__always)
  var count: Int {
    local.remaining &+ localBatch.pointee.remaining &+ inboxBatch.pointee.remaining
  }

  func free() {
    local.free()
    ItemBuffer.deallocate(localBatch)
    ItemBuffer.deallocate(inboxBatch)
  }
}
