/// Whether another thread of the process may run while the loop spins.
struct SpinCPUs {
  // One second. Threads may be started, pinned or restricted later.
  private static let interval: UInt64 = 1_000_000_000

  private(set) var areSeveral = false
  private var updated: UInt64 = 0

  /// Looks at the CPUs of each thread of the process.
  mutating func update() {
    areSeveral = ActiveCores.areSeveral
    updated = System.nanoseconds
  }

  /// Looks at them again if the last look was a second ago. Called when the loop is
  /// about to block, so no post waits for it.
  mutating func updateIfOld() {
    if System.nanoseconds &- updated > Self.interval { update() }
  }
}

// Spinning before a poll that would block.
extension EventLoop {
  /// How long the loop spins before it blocks, so that a post from another CPU
  /// need not wake it. Defaults to zero: the loop does not spin.
  ///
  /// Call on the loop. A post that arrives while the loop spins makes no system
  /// call to wake it, and runs at once. If none arrives, the loop blocks as
  /// usual. An idle loop therefore spins once after each event and then uses no
  /// CPU.
  ///
  /// Use it only for a thread with a CPU of its own that waits for frequent
  /// posts:
  ///
  /// - Each wait takes CPU time for up to this duration, even if nothing comes.
  /// - While the loop spins, it serves no event of a descriptor, signal or
  ///   precise timer. Each may be late by up to this duration. Other timers are
  ///   not delayed.
  ///
  /// Has no effect while the loop is embedded or stepped, while the owner of an
  /// adopted loop runs it, in `run(.noWait)`, and while all threads of the process
  /// may use only one CPU, which the posting thread needs. The loop also blocks
  /// without spinning after it has begun to watch a descriptor. While ticks are
  /// measured, a post that arrives runs in the next tick. The loop looks at the
  /// CPUs of each thread when this is set, and again when it blocks, at most once
  /// per second. Its own thread may be pinned to a CPU.
  ///
  /// - Precondition: The value is from zero to one millisecond.
  public var spinsBeforeBlocking: Duration {
    get {
      checkThread("EventLoop.spinsBeforeBlocking")
      return .nanoseconds(Int64(spinNanoseconds))
    }
    set {
      checkUsable("EventLoop.spinsBeforeBlocking")
      require(
        newValue >= .zero && newValue <= .milliseconds(1),
        "EventLoop.spinsBeforeBlocking: must be from zero to 1 ms, got \(newValue)"
      )
      spinNanoseconds = UInt64(clamping: newValue.clampedNanoseconds)
      if spinNanoseconds > 0 { spinCPUs.update() }
    }
  }

  /// Spins until a post or a request arrives, for at most
  /// `spinsBeforeBlocking`. Returns false if none arrived, or if the poll will
  /// not block.
  ///
  /// There must be no pending work. The loop does not announce that it sleeps
  /// before this returns, so nothing depends on this check: the decision to block
  /// follows.
  @inline(never)
  func spin() -> Bool {
    guard state == .running, mayBlock, host == nil, virtualTime == nil else { return false }
    guard spinCPUs.areSeveral else {
      spinCPUs.updateIfOld()
      return false
    }
    // Otherwise libuv would report that its poll does not block.
    disarm()
    uv.updateTime()
    guard let limit = spinLimit else { return false }
    // An adopted loop is announced as asleep until its run has polled once.
    endSleep()
    if hasArrival { return true }
    let start = System.nanoseconds
    repeat {
      whileSpinning?()
      // Reading the clock costs as much as a few pauses.
      for _ in 0..<16 {
        if hasArrival { return true }
        System.pause()
      }
    } while System.nanoseconds &- start < limit
    spinCPUs.updateIfOld()
    // libuv computes the timeout of the poll from its clock.
    uv.updateTime()
    return false
  }

  /// Whether a post or a request has arrived.
  @inline(__always)
  private var hasArrival: Bool { core.inbox.isFilled || core.inbox.hasRequest }

  /// How long to spin, or nil if the poll will not block. Also nil while a new
  /// watcher waits for the poll, which tells the kernel about it. Does not
  /// exceed the time until libuv's next timer.
  private var spinLimit: UInt64? {
    let timeout = uv.backendTimeout
    if timeout == 0 { return nil }
    return timeout < 0 ? spinNanoseconds : min(spinNanoseconds, UInt64(timeout) * 1_000_000)
  }

  /// Runs the posts that `spin()` has found, as `woke()` does.
  @inline(never)
  func runSpunPosts() {
    arm()
    // The measured part of a measured tick is over.
    if core.needsSlowTick { return }
    runPosts()
    endFlush()
  }
}
