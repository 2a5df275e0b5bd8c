extension EventLoop {
  /// Takes an item from the loop's own thread; false if it is refused.
  @inline(__always)
  func appendLocally(_ item: PostedItem) -> Bool {
    guard state != .closing else { return false }
    local.append(item)
    arm()
    return true
  }

  /// Runs what was posted before this call, within the budget: the loop's own
  /// posts first, then those of other threads. What these post runs after the
  /// next poll, but for jobs that follow at once.
  @inline(__always)
  func runPosts() {
    let isFilled = isBacklogged || core.inbox.isFilled
    if isFilled || postsLeft > 0 { runBatches(isFilled) }
  }

  /// Runs posts as above; those of other threads that were not taken yet, if
  /// `drains`. Whether those are still to be taken: others were left from before.
  func runPosts(draining drains: Bool) -> Bool {
    let isBehind = drains && inboxBatch.pointee.remaining > 0
    if drains || postsLeft > 0 { runBatches(drains) }
    return isBehind
  }

  /// How many posts were taken, or made on the loop, and have not run yet.
  @inline(__always)
  var postsLeft: Int {
    local.remaining + localBatch.pointee.remaining + inboxBatch.pointee.remaining
  }

  @inline(never)
  private func runBatches(_ isFilled: Bool) {
    guard !core.isForked else { return }
    if localBatch.pointee.remaining == 0 { swap(&local, &localBatch.pointee) }
    if inboxBatch.pointee.remaining == 0, isFilled { drainInbox() }
    guard postsLeft > 0 else { return }
    meter.begin()
    runBatch(localBatch)
    runBatch(inboxBatch)
    if _slowPath(local.beginsWithJob) { runFollowingJobs() }
    core.metrics.pendingPosts.set(UInt64(postsLeft))
  }

  /// Takes what other threads posted.
  ///
  /// Each look drains the inbox's cache lines away from those who fill it, about
  /// 0.5 us in all. Where they fill it without a pause, the loop looks every 7 us
  /// at most, and looks once more before it thinks of sleep; one that has other
  /// things to do waits for nothing.
  // 18 to 11 ns per item: docs/performance.md, "post".
  private func drainInbox() {
    if isBacklogged {
      while System.cycles &- lastInboxCheck < System.cyclesPerReading { System.pause() }
    }
    core.inbox.drain(into: &inboxBatch.pointee)
    isBacklogged = inboxBatch.pointee.remaining >= Self.backlogThreshold
    if isBacklogged { lastInboxCheck = System.cycles }
  }

  /// Runs jobs that what just ran has enqueued, unless another post waits before
  /// them: a task goes to an actor of the loop and comes back by a job each.
  // A tick for each would ask the kernel for events each time, three times what the
  // hop costs: docs/performance.md, "Hops".
  @inline(never)
  private func runFollowingJobs() {
    // What is left in a batch came before.
    guard localBatch.pointee.remaining == 0, inboxBatch.pointee.remaining == 0 else { return }
    var count: UInt64 = 0
    while count < Self.maxFollowingJobs, local.beginsWithJob, meter.allowsMore() {
      var item = local.removeFirst()
      count &+= 1
      meter.didPerform()
      item.run(on: self)
    }
    if local.remaining == 0 { local.reset() }
    core.metrics.posts.add(count)
  }

  // 32: 16 calls share what a tick costs, and a task that yields for ever lets events
  // in every 3 us or so. Guess.
  private static let maxFollowingJobs: UInt64 = 32

  // 16: a few threads that each post one thing are no backlogThreshold. Guess.
  private static let backlogThreshold = 16

  private func runBatch(_ batch: UnsafeMutablePointer<ItemBuffer>) {
    guard batch.pointee.remaining > 0 else { return }
    // Not by what is left: an item that closes an adopted loop runs the rest.
    var count: UInt64 = 0
    var kind: UInt
    repeat {
      var item = batch.pointee.removeFirst()
      count &+= 1
      meter.didPerform()
      kind = item.similarityKey
      item.run(on: self)
    } while batch.pointee.remaining > 0 && meter.allowsMore(after: kind)
    core.metrics.posts.add(count)
    if batch.pointee.remaining == 0 {
      batch.pointee.reset()
    } else {
      core.metrics.carriedOver.add()
    }
  }
}
