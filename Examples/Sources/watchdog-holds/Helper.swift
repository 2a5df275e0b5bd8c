import Dispatch
import Foundation

/// Prints a message on standard error and ends the program.
func fail(_ message: String, code: Int32 = 1) -> Never {
  FileHandle.standardError.write(Data("watchdog-holds: \(message)\n".utf8))
  exit(code)
}

/// Another thread.
struct Helper {
  private let isOver = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread { [isOver] in
      body()
      isOver.signal()
    }
    thread.name = "helper"
    thread.start()
  }

  /// Waits until the thread's body has returned.
  func join() { isOver.wait() }
}

/// Sleeps for a millisecond.
func pauseBriefly() { usleep(1000) }
