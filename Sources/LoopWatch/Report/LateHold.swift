/// A hold that lasted longer than the threshold, with everything that is known of it.
package struct LateHold: Sendable {
  package var hold: Hold
  package var parts: HoldParts
  /// The name of the loop's thread.
  package var thread: String
  package var process: Int32
  /// The stacks that were captured during the hold; empty if it ended too soon.
  package var captures: [Capture] = []
  /// The wait of a blocked thread, in words.
  package var reason: String?
  /// The quota that throttled the thread, in words.
  package var quota: String?

  package init(hold: Hold, parts: HoldParts, thread: String = "", process: Int32 = 0) {
    (self.hold, self.parts, self.thread, self.process) = (hold, parts, thread, process)
  }

  /// The functions to blame for one cause of the hold; nil if no stack was captured.
  package func culprit(of cause: Cause) -> Culprit? {
    let state: Observation.State = cause == .blocked ? .blocked : .runnable
    let same = captures.filter { $0.state == state }
    return Culprit(of: (same.isEmpty ? captures : same).map(\.stack))
  }

  /// The description of one cause of the hold.
  package func description(of cause: Cause) -> String {
    switch cause {
    case .running: culprit(of: .running)?.description ?? "no stack was captured"
    case .waiting: ""
    case .throttled: quota ?? "by the quota of its control group"
    case .stolen: "by the hypervisor, an estimate"
    case .blocked:
      [reason ?? "a system call", culprit(of: .blocked)?.description].compactMap(\.self)
        .joined(separator: " in ")
    case .stopped: "by a signal or a debugger"
    case .unexplained: ""
    }
  }
}
