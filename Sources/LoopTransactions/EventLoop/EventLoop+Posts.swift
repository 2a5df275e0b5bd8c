extension EventLoop {
  /// Takes an item from the loop's own thread.
  @inline(__always)
  func appendLocally(_ item: PostedItem) {
    local.append(item)
    arm()
  }

  /// Runs what was posted before this call, within the budget: the loop's own
  /// posts first, then those of other threads. What these post runs after the
  /// next poll.
  @inline(__always)
  func runPosts() {
    let isFilled = core.inbox.isFilled
    guard isFilled || postsLeft > 0 else { return }
    runTaken(isFilled)
  }

  /// Runs posts as above; those of other threads that were not taken yet, if
  /// `takes`. Whether those are still to be taken: others were left from before.
  func runPosts(taking takes: Bool) -> Bool {
    let isBehind = takes && inboxBatch.pointee.remaining > 0
    if takes || postsLeft > 0 { runTaken(takes) }
    return isBehind
  }

  /// How many posts were taken, or made on the loop, and have not run yet.
  @inline(__always)
  var postsLeft: Int {
    local.remaining + localBatch.pointee.remaining + inboxBatch.pointee.remaining
  }

  @inline(never)
  private func runTaken(_ isFilled: Bool) {
    if localBatch.pointee.remaining == 0 { swap(&local, &localBatch.pointee) }
    if inboxBatch.pointee.remaining == 0, isFilled { core.inbox.take(into: &inboxBatch.pointee) }
    meter.begin()
    runBatch(localBatch)
    runBatch(inboxBatch)
    core.metrics.pendingPosts.set(UInt64(postsLeft))
  }

  private func runBatch(_ batch: UnsafeMutablePointer<ItemBuffer>) {
    guard batch.pointee.remaining > 0 else { return }
    let before = batch.pointee.remaining
    repeat {
      var item = batch.pointee.removeFirst()
      meter.didPerform()
      item.run(on: self)
    } while batch.pointee.remaining > 0 && meter.allowsMore()
    let after = batch.pointee.remaining
    core.metrics.posts.add(UInt64(before - after))
    if after == 0 { batch.pointee.reset() } else { core.metrics.carriedOver.add() }
  }
}
