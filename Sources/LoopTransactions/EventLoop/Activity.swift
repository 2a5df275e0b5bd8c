extension EventLoop {
  /// Points of a tick at which observers are called.
  ///
  /// Modelled on Core Foundation's run loop activities. Core Foundation skips
  /// `beforeWaiting` when a pass only polls. This loop never skips it, so it
  /// flushes even under constant load.
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
