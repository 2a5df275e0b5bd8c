/// A callback that a loop makes at certain activities, in a stated order.
///
/// Made by `EventLoop.addObserver`. The loop keeps it until it is removed.
/// Belongs to the loop's thread.
///
/// An observer can take part in a tick as the loop's own queues do: it rests
/// until it has pending work, and performs that within the tick's budget.
///
/// ```swift
/// let flush = loop.addObserver(for: [.beforeWaiting, .exit]) { _ in thumbnails.flush() }
/// flush.isResting = true
/// ```
///
/// ```swift
/// func flush() {
///   while let next = waiting.popLast() {
///     draw(next)
///     guard loop.budgetAllowsMore() else { break }
///   }
///   observer.hasPendingWork = !waiting.isEmpty
/// }
/// ```
public final class Observer {
  /// When the observer is called.
  public let activities: EventLoop.Activity

  /// Its place among the observers of an activity: lower is called first, equal
  /// ones in the order they were added.
  public let order: Int

  /// Whether the observer is called again and again, or removed by its first
  /// call.
  public let repeats: Bool

  private var body: (EventLoop.Activity) -> Void  // loop only
  let core: PortCore
  // Unmanaged: not touched once the observer is removed, or detached by a loop that goes.
  // A counted reference would be retained for each change of `isPending`.
  private let loop: Unmanaged<EventLoop>  // loop only

  /// Whether the observer will be called again.
  ///
  /// Call on the loop.
  public var isActive: Bool {
    core.checkThread("Observer.isActive")
    return isAttached
  }

  /// Whether the observer has been neither removed nor dropped.
  @exclusivity(unchecked) private(set) var isAttached = true  // loop only

  // A dormant observer is passed over: a tick without pending work costs no call.
  @exclusivity(unchecked) var isDormant = false  // loop only

  // Behind the properties of similar names, which check the thread.
  @exclusivity(unchecked) private var rests = false  // loop only
  @exclusivity(unchecked) private(set) var isPending = false  // loop only
  // Whether the last call left work, which is the next tick's.
  @exclusivity(unchecked) private var isCarryingOver = false  // loop only

  init(
    loop: EventLoop,
    activities: EventLoop.Activity,
    order: Int,
    repeats: Bool,
    body: @escaping (EventLoop.Activity) -> Void
  ) {
    core = loop.core
    self.loop = .passUnretained(loop)
    self.activities = activities
    self.order = order
    self.repeats = repeats
    self.body = body
  }

  /// Removes the observer from its loop. It is not called again, not even by a
  /// pass that is under way.
  ///
  /// Call on the loop. Cancelling again does nothing.
  ///
  /// - Complexity: O(n) in the loop's observers.
  public func cancel() {
    core.checkThread("Observer.cancel")
    guard isAttached else { return }
    // Held, and the body released last: what goes with it may close and drop the loop.
    let loop = loop.takeUnretainedValue()
    withExtendedLifetime(claimBody()) { loop.observers.sweepLater() }
  }

  /// Takes note that the loop dropped the observer.
  func invalidate() { _ = claimBody() }

  /// Detaches the observer; its callback is the caller's to release, outside of any
  /// access to this.
  private func claimBody() -> (EventLoop.Activity) -> Void {
    setPending(false)
    detach()
    let old = body
    body = { _ in }
    return old
  }

  /// Takes note that there is no loop any more.
  func detach() {
    isAttached = false
    isPending = false
  }

  /// Calls the observer, which has not been removed.
  @inline(__always)
  func call(_ activity: EventLoop.Activity) {
    if _slowPath(isPending) { return callForWork(activity) }
    let body = body
    if !repeats { cancel() }
    body(activity)
  }

  /// Whether a run of one tick leaves the observer's work to the next run. L8.
  func leavesWork(hasRoom: Bool) -> Bool { rests && isPending && (isCarryingOver || !hasRoom) }

  @inline(never)
  private func callForWork(_ activity: EventLoop.Activity) {
    let performs = activity == .beforeWaiting || activity == .exit
    if performs {
      isCarryingOver = false
      setPending(false)
      loop._withUnsafeGuaranteedRef {
        $0.meter.begin()
        $0.wasRefusedMore = false
      }
    }
    let body = body
    if !repeats { cancel() }
    body(activity)
    isCarryingOver = performs && isPending
    // Pending means attached: the loop is there.
    guard performs, isPending, loop._withUnsafeGuaranteedRef({ $0.wasRefusedMore }) else { return }
    core.metrics.carriedOver.add()
  }
}

// Pending work. L9.
extension Observer {
  /// Whether the observer is called only when it has pending work.
  ///
  /// Call on the loop. False at first: the observer is called in every pass of its
  /// activities. A resting observer is skipped, and a tick does not call it.
  public var isResting: Bool {
    get {
      core.checkThread("Observer.isResting")
      return rests
    }
    set {
      core.checkThread("Observer.isResting")
      rests = newValue
      isDormant = newValue && !isPending
    }
  }

  /// Whether the loop must call the observer before it next blocks.
  ///
  /// Call on the loop. Set it when there is work for the observer. Until the
  /// observer was called, the loop does not block and its run does not end. The
  /// loop resets it just before it calls the observer for `beforeWaiting` or
  /// `exit`. An observer that sets it again in that call carries work over: the
  /// next tick does not block, and serves ready I/O first.
  ///
  /// The time of the call counts against the tick's budget. Ask
  /// `EventLoop.budgetAllowsMore()` after each piece of work.
  ///
  /// A run that is stopped, and `close()`, perform the pending work of observers
  /// for `exit`: they are called for `exit` again while they have some, up to 16
  /// times. Other observers keep their pending work for the next run, and lose it
  /// when the loop closes.
  ///
  /// It stays false once the observer was removed.
  ///
  /// - Precondition: The observer is one for `beforeWaiting`.
  /// - Complexity: O(1).
  public var hasPendingWork: Bool {
    get {
      core.checkThread("Observer.hasPendingWork")
      return isPending
    }
    set {
      core.checkThread("Observer.hasPendingWork")
      guard isAttached else { return }
      require(
        activities.contains(.beforeWaiting),
        "Observer.hasPendingWork: add the observer for beforeWaiting, not only for \(activities)"
      )
      setPending(newValue)
    }
  }

  /// Sets `hasPendingWork`, for the library: a loop that was released while open
  /// may be released on any thread. Does nothing once the observer was removed.
  @inline(__always)
  func setPending(_ newValue: Bool) {
    guard isPending != newValue, isAttached else { return }
    isPending = newValue
    isDormant = rests && !newValue
    loop._withUnsafeGuaranteedRef { loop in
      if newValue { loop.beginPendingWork() } else { loop.endPendingWork() }
    }
  }
}
