public import LoopTransactions

/// The events of a test, in order. Any thread can record them.
///
/// Compare the whole trace: `#expect(trace.events == ["beforeWaiting",
/// "layout"])`.
public final class Trace: Sendable {
  private let recorded = Locked<[String]>([])

  /// Creates an empty trace.
  public init() {}

  /// All recorded events.
  ///
  /// Call from any thread.
  public var events: [String] { recorded.withLock { $0 } }

  /// Records `event`.
  ///
  /// Call from any thread.
  public func record(_ event: String) { recorded.withLock { $0.append(event) } }

  /// Removes and returns all recorded events.
  ///
  /// Call from any thread.
  @discardableResult
  public func take() -> [String] {
    recorded.withLock { events in
      defer { events = [] }
      return events
    }
  }

  /// Records the name of each of the loop's `activities` when it occurs.
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
