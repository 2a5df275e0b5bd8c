extension EventLoop {
  /// Points of a tick at which observers are called.
  ///
  /// After Core Foundation's run loop activities. Where that skips
  /// `beforeWaiting` when it only polls, this loop never does: a loop under
  /// constant load still flushes.
  ///
  /// A value: make and read it on any thread.
  public struct Activity: OptionSet, Hashable, Sendable {
    /// The activities as bits.
    public let rawValue: UInt8

    /// The activities whose bits are set in `rawValue`.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A run begins. Once each time `run` is called.
    public static let entry = Activity(rawValue: 1)

    /// The loop is about to wait for events. Every tick, even if it will not
    /// block.
    public static let beforeWaiting = Activity(rawValue: 2)

    /// The loop has waited, and the callbacks of what it waited for have run.
    public static let afterWaiting = Activity(rawValue: 4)

    /// A run is about to return. Once each time `run` returns.
    public static let exit = Activity(rawValue: 8)

    /// Every activity there is.
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
