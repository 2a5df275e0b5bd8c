/// A hold that lasted longer than the threshold, with everything that is known of it.
package struct LateHold: Sendable {
  package var hold: Hold
  package var parts: HoldParts
  /// The name of the loop's thread.
  package var thread: String
  package var process: Int32
  /// Nil if no stack was captured in time.
  package var culprit: Culprit?
  /// Captured stacks, innermost function first.
  package var captures: [[StackFrame]]
  /// The wait of a blocked thread, in words.
  package var reason: String?
  /// The quota that throttled the thread, in words.
  package var quota: String?

  package init(hold: Hold, parts: HoldParts, thread: String = "", process: Int32 = 0) {
    (self.hold, self.parts, self.thread, self.process) = (hold, parts, thread, process)
    captures = []
  }

  /// The description of one cause of the hold.
  package func description(of cause: Cause) -> String {
    switch cause {
    case .running: culprit?.description ?? "no stack was captured"
    case .waiting: ""
    case .throttled: quota ?? "by the quota of its control group"
    case .stolen: "by the hypervisor, an estimate"
    case .blocked: [reason ?? "a system call", culprit?.description].compactMap(\.self)
      .joined(separator: " in ")
    case .stopped: "by a signal or a debugger"
    case .unexplained: ""
    }
  }
}
