// A loop on a host that runs closures of other threads one at a time. Here the
// host is a thread with a list of closures.
//
// Prints:
//   on the host's thread: true

// snippet.imports
import Foundation
import LoopTransactions
// snippet.end

// snippet.queue
/// Runs closures in order, on a thread of its own.
final class EventQueue: @unchecked Sendable {
  // @unchecked: the variables are used while `condition` is locked.
  private let condition = NSCondition()
  private var closures: [@Sendable () -> Void] = []
  private var isShutDown = false

  init() {
    Thread.detachNewThread { [self] in
      while let closure = next() { closure() }
    }
  }

  private func next() -> (@Sendable () -> Void)? {
    condition.withLock {
      while closures.isEmpty, !isShutDown { condition.wait() }
      return closures.isEmpty ? nil : closures.removeFirst()
    }
  }

  /// Returns false if the queue has shut down.
  func execute(_ closure: @escaping @Sendable () -> Void) -> Bool {
    condition.withLock {
      guard !isShutDown else { return false }
      closures.append(closure)
      condition.signal()
      return true
    }
  }

  func shutDown() {
    condition.withLock {
      isShutDown = true
      condition.signal()
    }
  }
}
// snippet.end

// snippet.host
func useFunctions() async throws {
  let queue = EventQueue()
  let executor = HostExecutor(
    execute: { work in queue.execute(work) },
    executeLater: { work in queue.execute(work) }
  )
  let host = try await ExecutorHost.make(on: executor)
  let thread = try await host.port.run { _ in Thread.current.description }
  _ = queue.execute {
    let isSame = Thread.current.description == thread
    print("on the host's thread:", isSame)
  }
  try await host.close()
  queue.shutDown()
}

try await useFunctions()
// snippet.end
