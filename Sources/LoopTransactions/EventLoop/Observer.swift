/// A callback that a loop makes at certain activities, in a stated order.
///
/// Made by `EventLoop.addObserver`. The loop keeps it until it is removed.
/// Belongs to the loop's thread.
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
  private let core: PortCore
  private unowned let loop: EventLoop  // loop only; not touched once removed

  /// Whether the observer will be called again.
  ///
  /// Call on the loop.
  public var isValid: Bool {
    core.checkThread("Observer.isValid")
    return isAttached
  }

  /// Whether the observer has been neither removed nor dropped.
  @exclusivity(unchecked) private(set) var isAttached = true  // loop only

  // A dormant observer has nothing to do and is passed over: a tick with
  // nothing owed costs no call.
  @exclusivity(unchecked) var isDormant = false  // loop only

  init(
    loop: EventLoop,
    activities: EventLoop.Activity,
    order: Int,
    repeats: Bool,
    body: @escaping (EventLoop.Activity) -> Void
  ) {
    core = loop.core
    self.loop = loop
    self.activities = activities
    self.order = order
    self.repeats = repeats
    self.body = body
  }

  /// Removes the observer from its loop. It is not called again, not even by a
  /// pass that is under way.
  ///
  /// Call on the loop. Removing one again does nothing.
  ///
  /// - Complexity: O(n) in the loop's observers.
  public func remove() {
    core.checkThread("Observer.remove")
    guard isAttached else { return }
    // Held, and the body released last: what goes with it may close and drop the loop.
    let loop = loop
    withExtendedLifetime(takeBody()) { loop.observers.sweepLater() }
  }

  /// Takes note that the loop dropped the observer.
  func invalidate() { _ = takeBody() }

  /// Detaches the observer; its callback is the caller's to release, outside of any
  /// access to this.
  private func takeBody() -> (EventLoop.Activity) -> Void {
    detach()
    let old = body
    body = { _ in }
    return old
  }

  /// Takes note that there is no loop any more.
  func detach() { isAttached = false }

  /// Calls the observer, which has not been removed.
  @inline(__always)
  func call(_ activity: EventLoop.Activity) {
    let body = body
    if !repeats { remove() }
    body(activity)
  }
}
