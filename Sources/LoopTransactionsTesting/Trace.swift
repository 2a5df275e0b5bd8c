public import LoopTransactions

/// What happened in a test, in order, from any thread.
///
/// Compare all of it: `#expect(trace.events == ["beforeWaiting", "layout"])`.
public final class Trace: Sendable {
  private let recorded = Locked<[String]>([])

  /// An empty trace.
  public init() {}

  /// Everything recorded so far.
  ///
  /// Call from any thread.
  public var events: [String] { recorded.withLock { $0 } }

  /// Adds `event` at the end.
  ///
  /// Call from any thread.
  public func record(_ event: String) { recorded.withLock { $0.append(event) } }

  /// Forgets what was recorded, and returns it.
  ///
  /// Call from any thread.
  @discardableResult
  public func take() -> [String] {
    recorded.withLock { events in
      defer { events = [] }
      return events
    }
  }

  /// Records each of `activities` of `loop` under its own name.
  ///
  /// Call on the loop.
  @discardableResult
  public func follow(
    _ loop: EventLoop,
    _ activities: EventLoop.Activity,
    order: Int = .min
  ) -> Observer {
    loop.addObserver(for: activities, order: order) { [self] activity in
      record("\(activity)")
    }
  }
}
