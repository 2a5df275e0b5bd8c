/// Turns the interactive mode of schedulers on while a user gives input.
///
/// The mode is on from the first input until the loop had no input for a stated
/// time. `GLibHost` and `SDLHost` report the input of GTK and SDL by themselves;
/// other programs report it with `inputArrived()`. It belongs to its loop.
///
/// ```swift
/// let mode = InteractiveMode(of: [scheduler], on: loop)
/// mode.inputArrived()  // in the callback for scrolling, keys, touches
/// ```
///
/// The port of `UITrackingRunLoopMode` in UIKit.
public final class InteractiveMode {
  private let schedulers: [OperationScheduler]
  private let core: PortCore
  private weak var loop: EventLoop?
  private var input: InputActivity
  private var timer: LoopTimer?

  /// Creates a mode that is off.
  ///
  /// Call on the loop.
  ///
  /// - Parameters:
  ///   - schedulers: The schedulers whose `isInteractive` is set. Nothing else
  ///     should set it.
  ///   - loop: The loop whose timer ends the mode. The timer does not keep the
  ///     loop's run going.
  ///   - quietTime: How long the loop must have no input before the mode ends.
  ///     Pauses between the steps of a wheel and between keys are shorter than
  ///     the default.
  /// - Precondition: `quietTime` is positive.
  public init(
    of schedulers: [OperationScheduler],
    on loop: EventLoop,
    quietTime: Duration = .milliseconds(500)
  ) {
    loop.checkUsable("InteractiveMode.init")
    require(
      quietTime > .zero,
      "InteractiveMode.init: quietTime must be positive, got \(quietTime)"
    )
    self.schedulers = schedulers
    self.loop = loop
    core = loop.core
    input = InputActivity(quietTime: UInt64(clamping: quietTime.clampedNanoseconds))
  }

  deinit { if input.isOn { set(false) } }

  /// Whether the mode is on.
  ///
  /// Call on the loop.
  public var isOn: Bool {
    core.checkThread("InteractiveMode.isOn")
    return input.isOn
  }

  /// Turns the mode on, and keeps it on for the quiet time from now.
  ///
  /// Call on the loop. Does nothing after the loop was closed.
  ///
  /// - Complexity: O(1). While the mode is on, one reading of the clock.
  public func inputArrived() {
    core.checkThread("InteractiveMode.inputArrived")
    guard let loop, loop.takesCommits else { return }
    guard input.arrived(loop.nanoseconds) else { return }
    set(true)
    endLater(input.quietTime)
  }

  /// Turns the mode off. The next input turns it on again.
  ///
  /// Call on the loop, and before it is closed: a loop that is closed does not
  /// end the mode.
  public func cancel() {
    core.checkThread("InteractiveMode.cancel")
    timer?.cancel()
    timer = nil
    if input.end() { set(false) }
  }

  private func endLater(_ nanoseconds: UInt64) {
    let delay = Duration.nanoseconds(Int64(clamping: nanoseconds))
    timer = loop?.addTimer(after: delay) { [weak self] _ in self?.timerFired() }
    timer?.keepsLoopAlive = false
  }

  private func timerFired() {
    guard let loop else { return }
    if let rest = input.rest(loop.nanoseconds) { return endLater(rest) }
    timer = nil
    set(false)
  }

  private func set(_ isInteractive: Bool) {
    for scheduler in schedulers { scheduler.isInteractive = isInteractive }
  }
}

/// Decides whether input is recent. Times are in nanoseconds.
package struct InputActivity {
  package let quietTime: UInt64
  /// Whether there was input during the quiet time, as far as is known.
  package private(set) var isOn = false
  private var last: UInt64 = 0

  package init(quietTime: UInt64) { self.quietTime = quietTime }

  /// Records input. Returns true if it is the first one.
  package mutating func arrived(_ now: UInt64) -> Bool {
    last = now
    defer { isOn = true }
    return !isOn
  }

  /// Returns how long the quiet time lasts from `now` on, or nil if it has
  /// passed, which ends the activity.
  package mutating func rest(_ now: UInt64) -> UInt64? {
    let passed = now > last ? now - last : 0
    guard isOn, passed < quietTime else {
      isOn = false
      return nil
    }
    return quietTime - passed
  }

  /// Ends the activity. Returns true if it was on.
  package mutating func end() -> Bool {
    defer { isOn = false }
    return isOn
  }
}

extension InteractiveMode: CustomReflectable {
  /// The schedulers. May be requested on any thread.
  public var customMirror: Mirror { Mirror(self, children: [("schedulers", schedulers)]) }
}
