import Foundation

/// Blocks a drawing until the test opens it.
final class Gate: @unchecked Sendable {
  // @unchecked: the flag is only accessed under the condition's lock.

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

  /// Waits for at most ten minutes. Returns false if the gate was not opened.
  @discardableResult
  func wait() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    let deadline = Date(timeIntervalSinceNow: 600)
    while !wasOpened { if !condition.wait(until: deadline) { return wasOpened } }
    return true
  }
}
