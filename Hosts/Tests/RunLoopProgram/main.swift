import CoreFoundation
import Foundation
import HostCases
import LoopTransactions
import LoopTransactionsFoundation
import MainRunLoop

/// Computes in blocks of the main queue until a watchdog reports them: in a run that
/// does not wait, and after a wait. Prints the number of reports while a
/// block runs, and of those that the end of the host's work caused.
@MainActor
func watched() throws {
  let (running, over) = (Locked(0), Locked(0))
  let loop = try EventLoop()
  loop.watchdog = try LoopWatchdog(threshold: .milliseconds(25)) { hold in
    guard hold.work.description == "other main queue or run loop" else { return }
    (hold.isOver ? over : running).withLock { $0 += 1 }
  }
  let host = try RunLoopHost(loop)
  @Sendable func wait(_ count: Locked<Int>, for value: Int) {
    while count.withLock({ $0 }) < value {}
  }
  // The first run makes a turn. The second one only polls, and calls the block.
  _ = RunLoop.main.run(mode: .default, before: .distantPast)
  DispatchQueue.main.async { wait(running, for: 1) }
  _ = RunLoop.main.run(mode: .default, before: .distantPast)
  DispatchQueue.main.asyncAfter(deadline: .now() + 0.1) {
    MainActor.assumeIsolated {
      wait(running, for: 2)
      host.cancel()
      // No wait of the run loop follows before this returns.
      wait(over, for: 2)
      CFRunLoopStop(CFRunLoopGetMain())
    }
  }
  CFRunLoopRun()
  try loop.close()
  print("running", running.withLock { $0 })
  print("over", over.withLock { $0 })
}

if CommandLine.arguments.dropFirst().first == "watched" {
  alarm(60)
  try watched()
} else {
  try runCase(
    on: MainRunLoop { loop in
      let host = try RunLoopHost(loop)
      return { host.cancel() }
    }
  )
}
