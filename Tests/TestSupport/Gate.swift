internal import Dispatch

/// A counting gate that threads of a test wait at.
package final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  /// Lets `count` threads pass, now or when they arrive.
  package func open(_ count: Int = 1) { for _ in 0..<count { semaphore.signal() } }

  /// Waits until the gate lets this thread pass.
  package func wait() { semaphore.wait() }

  /// Waits for at most ten minutes, so that a hang fails this test instead of the
  /// run, and a busy machine does not. Returns true if the gate let this thread
  /// pass.
  package func waitInTime() -> Bool { semaphore.wait(timeout: .now() + 600) == .success }

  /// Waits `count` times. Returns false after the first timeout.
  package func waitInTime(_ count: Int) -> Bool { (0..<count).allSatisfy { _ in waitInTime() } }
}
