import Foundation

/// What a drawing waits at, until the test lets it go on.
final class Gate: @unchecked Sendable {
  // @unchecked: the flag is touched under the condition's lock only.

  private let condition = NSCondition()
  private var wasOpened = false

  var isOpen: Bool {
    condition.lock()
    defer { condition.unlock() }
    return wasOpened
  }

  func open() {
    condition.lock()
    wasOpened = true
    condition.broadcast()
    condition.unlock()
  }

  /// Waits for 20 seconds at most; whether it was opened.
  @discardableResult
  func wait() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    let deadline = Date(timeIntervalSinceNow: 20)
    while !wasOpened { if !condition.wait(until: deadline) { return wasOpened } }
    return true
  }
}
