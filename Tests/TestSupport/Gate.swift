internal import Dispatch

/// Something that threads of a test wait for.
package final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  /// Lets `count` threads through, now or when they come.
  package func open(_ count: Int = 1) { for _ in 0..<count { semaphore.signal() } }

  /// Waits to be let through.
  package func wait() { semaphore.wait() }

  /// Waits to be let through, but for 20 seconds at most; whether it was.
  package func waitInTime() -> Bool { semaphore.wait(timeout: .now() + 20) == .success }

  /// As above, so many times, or until it was not.
  package func waitInTime(_ count: Int) -> Bool { (0..<count).allSatisfy { _ in waitInTime() } }
}
