/// A callback that a loop calls at certain activities, in a defined order.
///
/// Created by `EventLoop.addObserver`. The loop keeps an observer until it is
/// cancelled. An observer belongs to the loop's thread.
///
/// An observer can take part in a tick in the same way as the loop's own
/// queues. A resting observer is skipped until it has pending work. It then
/// performs the work within the tick's budget.
///
/// ```swift
/// let flush = loop.addObserver(for: [.beforeWaiting, .exit]) { _ in
///   thumbnails.flush()
/// }
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
///
/// Modelled on CFRunLoopObserver. Covers the uses of `uv_prepare_t` and
/// `uv_check_t` in libuv.
public final class Observer {
  /// The activities at which the observer is called.
  public let activities: EventLoop.Activity

  /// The observer's position among the observers of an activity. Observers of
  /// lower order are called first. Observers of equal order are called in the
  /// order they were added.
  public let order: Int

  /// Whether the observer stays after its first call.
  public let repeats: Bool

  /// The place where a user added the observer. Nil for the loop's own.
  let place: SourcePlace?

  // Retained. Nil once the observer is cancelled. Loop only.
  @exclusivity(unchecked) private var body: Unmanaged<Body>?
  // The body of an observer that was cancelled in its own call, which still
  // runs. Loop only.
  private var runningBody: Body?
  // The number of calls of the body that have not returned. Loop only.
  @exclusivity(unchecked) private var callDepth = 0
  let core: PortCore
  // Unmanaged, because a counted reference would be retained at each change of
  // `isPending`. Not used once the observer is cancelled or detached.
  private let loop: Unmanaged<EventLoop>  // loop only

  /// Whether the observer will be called again.
  ///
  /// Call on the loop.
  public var isActive: Bool {
    core.checkThread("Observer.isActive")
    return isAttached
  }

  /// Whether the observer has been neither cancelled nor dropped by its loop.
  @exclusivity(unchecked) private(set) var isAttached = true  // loop only

  // A dormant observer is skipped, and a tick without awake observers makes no
  // pass. Loop only.
  @exclusivity(unchecked) var isDormant = false {
    didSet {
      guard isDormant != oldValue, isAttached else { return }
      loop._withUnsafeGuaranteedRef { $0.observers.dormancyChanged(of: self) }
    }
  }

  // 1 in the lane of each activity, for the counts of the loop's list.
  let lanes: SIMD4<UInt32>
  // The position among the observers of equal order, once the loop's list has
  // inserted the observer.
  @exclusivity(unchecked) var number = Int.max  // loop only

  // Storage of public properties that check the thread.
  @exclusivity(unchecked) private var rests = false  // loop only
  @exclusivity(unchecked) private(set) var isPending = false  // loop only
  // Whether the last call left work for the next tick.
  @exclusivity(unchecked) private var isCarryingOver = false  // loop only

  init(
    loop: EventLoop,
    activities: EventLoop.Activity,
    order: Int,
    repeats: Bool,
    place: SourcePlace?,
    body: @escaping (EventLoop.Activity) -> Void
  ) {
    core = loop.core
    self.place = place
    self.loop = .passUnretained(loop)
    self.activities = activities
    let bits = UInt32(activities.rawValue)
    lanes = SIMD4(bits, bits >> 1, bits >> 2, bits >> 3) & 1
    self.order = order
    self.repeats = repeats
    self.body = .passRetained(Body(body))
  }

  deinit { body?.release() }

  /// An object, so that a pass can call it without counting a reference.
  private final class Body {
    let call: (EventLoop.Activity) -> Void

    init(_ call: @escaping (EventLoop.Activity) -> Void) { self.call = call }
  }

  /// Removes the observer from its loop. It is not called again, not even in
  /// the current pass.
  ///
  /// Call on the loop. Cancelling again does nothing.
  ///
  /// - Complexity: O(log n) in the loop's observers, amortised.
  public func cancel() {
    core.checkThread("Observer.cancel")
    guard isAttached else { return }
    // The loop is retained, and the body is released last, because a `deinit`
    // of the body's captures may close and release the loop.
    let loop = loop.takeUnretainedValue()
    withExtendedLifetime(claimBody()) { loop.observers.remove(self) }
  }

  /// Called when the loop has dropped the observer.
  func invalidate() { _ = claimBody() }

  /// Detaches the observer and returns its callback. The caller must release
  /// the callback outside of any access to the observer.
  private func claimBody() -> Body? {
    setPending(false)
    if isAttached { loop._withUnsafeGuaranteedRef { $0.observers.willDetach(self) } }
    detach()
    let old = body?.takeRetainedValue()
    body = nil
    guard callDepth > 0, runningBody == nil else { return old }
    runningBody = old
    return nil
  }

  /// Detaches the observer from its loop, which is going away.
  func detach() {
    isAttached = false
    isPending = false
  }

  /// Calls the observer, which must be attached.
  func call(_ activity: EventLoop.Activity) {
    if _slowPath(isPending) { return callForWork(activity) }
    callBody(activity)
  }

  private func callBody(_ activity: EventLoop.Activity) {
    guard let body else { return }
    callDepth &+= 1
    if !repeats { cancel() }
    // Kept alive by the property, or by `runningBody` after `cancel()`.
    body._withUnsafeGuaranteedRef { $0.call(activity) }
    callDepth &-= 1
    if _slowPath(self.body == nil) { releaseBody() }
  }

  @inline(never)
  private func releaseBody() {
    guard callDepth == 0 else { return }
    // Released outside of the access, because a `deinit` may use the observer.
    withExtendedLifetime(runningBody.take()) {}
  }

  /// Whether a single-tick run leaves the observer's work to the next run. L8.
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
    callBody(activity)
    isCarryingOver = performs && isPending
    // A pending observer is attached, so the loop is alive.
    guard performs, isPending, loop._withUnsafeGuaranteedRef({ $0.wasRefusedMore }) else { return }
    core.metrics.carriedOver.add()
  }
}

// Pending work. L9.
extension Observer {
  /// Whether the observer is called only when it has pending work. Defaults to
  /// false.
  ///
  /// Call on the loop. A resting observer without pending work is skipped in
  /// every pass.
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
  /// Call on the loop. Set this to true when the observer has work. Until the
  /// observer has been called, the loop does not block and its run does not
  /// end. The loop resets this property just before it calls the observer for
  /// `beforeWaiting` or `exit`. An observer that sets it again during that call
  /// carries work over: the next tick does not block, and serves ready I/O
  /// first.
  ///
  /// The time of the call counts against the tick's budget. Call
  /// `EventLoop.budgetAllowsMore()` after each piece of work.
  ///
  /// `close()`, and a run that is stopped, call `exit` observers for `exit` up
  /// to 16 times while they have pending work. Other observers keep their
  /// pending work for the next run, and lose it when the loop closes.
  ///
  /// Setting this property has no effect once the observer is cancelled.
  ///
  /// - Precondition: The observer's activities include `beforeWaiting`.
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

  /// Sets `hasPendingWork` without checking the thread, because a loop released
  /// while open may be released on any thread. Does nothing once the observer
  /// is detached.
  func setPending(_ newValue: Bool) {
    guard isPending != newValue, isAttached else { return }
    isPending = newValue
    isDormant = rests && !newValue
    loop._withUnsafeGuaranteedRef { loop in
      if newValue { loop.beginPendingWork() } else { loop.endPendingWork() }
    }
  }
}

extension EventLoop {
  /// Points of a tick at which observers are called.
  ///
  /// `beforeWaiting` occurs in each pass, also if the pass only polls, so the
  /// loop flushes even under constant load. Modelled on Core Foundation's run
  /// loop activities.
  ///
  /// A value: create and read it on any thread.
  public struct Activity: OptionSet, Hashable, Sendable {
    /// The raw bits of the activities.
    public let rawValue: UInt8

    /// Creates the activities with the given bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A run is beginning. Occurs once per call of `run`.
    public static let entry = Activity(rawValue: 1)

    /// The loop is about to wait for events. Occurs in every tick, even if the
    /// loop will not block.
    public static let beforeWaiting = Activity(rawValue: 2)

    /// The loop has waited, and the callbacks of the events have run.
    public static let afterWaiting = Activity(rawValue: 4)

    /// A run is about to return. Occurs once per call of `run`.
    public static let exit = Activity(rawValue: 8)

    /// All activities.
    static let all: Activity = [.entry, .beforeWaiting, .afterWaiting, .exit]
  }
}

extension EventLoop.Activity: CustomStringConvertible {
  /// The names of the activities, such as `beforeWaiting|exit`.
  public var description: String {
    let names: [(EventLoop.Activity, String)] = [
      (.entry, "entry"), (.beforeWaiting, "beforeWaiting"),
      (.afterWaiting, "afterWaiting"), (.exit, "exit"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: "|")
  }
}

extension EventLoop {
  /// Adds an observer that calls `body` at `activities`.
  ///
  /// Call on the loop. An observer added by another observer is called from the
  /// next pass on. Transactions are performed at order 0xFFFFFF. Queues deliver
  /// at order 0 unless created with another order.
  ///
  /// - Parameters:
  ///   - activities: The activities at which `body` is called.
  ///   - order: Observers of lower order are called first. Observers of equal
  ///     order are called in the order they were added.
  ///   - repeats: Whether the observer stays after its first call.
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - body: Called on the loop with the current activity. Retained until the
  ///     observer is removed.
  /// - Returns: The observer. The loop keeps it, so the caller need not.
  /// - Complexity: O(n) in the loop's observers. Calling an observer does not
  ///   allocate.
  @discardableResult
  public func addObserver(
    for activities: Activity,
    order: Int = 0,
    repeats: Bool = true,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping (Activity) -> Void
  ) -> Observer {
    checkUsable("EventLoop.addObserver")
    let place = SourcePlace(fileID, line)
    return addObserver(for: activities, order: order, repeats: repeats, place: place, body)
  }

  /// Adds an observer. Without a place, it is one of the library's own.
  func addObserver(
    for activities: Activity,
    order: Int,
    repeats: Bool = true,
    place: SourcePlace?,
    _ body: @escaping (Activity) -> Void
  ) -> Observer {
    let observer = Observer(
      loop: self,
      activities: activities,
      order: order,
      repeats: repeats,
      place: place,
      body: body
    )
    // Without an activity, nothing would call the observer or detach it from a
    // released loop.
    if activities.isDisjoint(with: .all) {
      observer.invalidate()
    } else {
      observers.add(observer)
    }
    return observer
  }

  /// Counts one piece of work against this tick's budget. Returns whether the
  /// budget allows another piece of work.
  ///
  /// Call on the loop, in an observer, after each piece of work. Posts, queues,
  /// transactions and observers share one budget per tick. Each of them may
  /// perform one piece of work per tick even if the budget is spent, so call
  /// this after the work, not before it. If this returns false, set the
  /// observer's `hasPendingWork` to carry the remaining work over to the next
  /// tick.
  ///
  /// Time counts from the call of an observer that has pending work, or
  /// otherwise from an observer's first call of this function. Always returns
  /// true while `close()`, or a run that is ending, performs all pending work.
  ///
  /// - Complexity: O(1). Reads the cycle counter, and sometimes the clock.
  public func budgetAllowsMore() -> Bool {
    checkThread("EventLoop.budgetAllowsMore")
    meter.begin()
    meter.didPerform()
    if meter.allowsMore() { return true }
    wasRefusedMore = true
    return false
  }
}
