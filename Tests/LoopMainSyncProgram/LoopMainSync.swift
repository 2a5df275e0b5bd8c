import Dispatch
import LoopTransactions
import LoopTransactionsMain

// A synchronous main that links LoopTransactionsMain. Runs one case, given by
// name.
@main
enum LoopMainSync {
  static func main() throws {
    switch CommandLine.arguments.dropFirst().first {
    case "run": run()
    case "order": order()
    case "runMain": try runMain()
    case "both": both()
    case "closed": try closed()
    case "bridged": try bridged()
    default: fatalError("usage: loop-main-sync-program run|runMain|both|closed|bridged")
    }
  }

  /// Runs the main actor's loop as any other loop.
  @MainActor
  private static func run() {
    Task { @MainActor in
      await Task.yield()
      try? await Task.sleep(for: .milliseconds(1))
      print("on the loop: \(EventLoop.current === EventLoop.main)")
      DispatchQueue.main.async { MainActor.assumeIsolated { EventLoop.main.stop() } }
    }
    print("\(EventLoop.main.run())")
  }

  /// Queues work before and after the loop exists.
  @MainActor
  private static func order() {
    nonisolated(unsafe) var order: [Int] = []
    Task { @MainActor in order.append(1) }
    DispatchQueue.main.async { order.append(2) }
    let isQueued = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      Task { @MainActor in order.append(3) }
      isQueued.signal()
    }
    isQueued.wait()
    let loop = EventLoop.main
    for number in 4...6 {
      Task { @MainActor in
        order.append(number)
        if number == 6 { loop.stop() }
      }
    }
    loop.run()
    print(order)
  }

  /// Never asks for the main actor's loop, so another one can have its bridge.
  @MainActor
  private static func runMain() throws {
    try EventLoop.runMain { loop in
      let port = loop.port
      Task { @MainActor in
        try? await Task.sleep(for: .milliseconds(1))
        print("on runMain's loop: \(EventLoop.current?.port === port)")
        port.stop()
      }
    }
  }

  @MainActor
  private static func both() {
    _ = EventLoop.main
    do { try EventLoop.runMain { _ in } } catch { print(error) }
  }

  /// Asks for the main actor's loop while another loop serves the main queue.
  @MainActor
  private static func bridged() throws { try EventLoop.runMain { _ in _ = EventLoop.main } }

  /// Closes the main actor's loop. Its jobs then wait in the main queue.
  @MainActor
  private static func closed() throws {
    let loop = EventLoop.main
    try loop.close()
    Task { @MainActor in
      print("after close()")
      EventLoop.current?.stop()
    }
    try EventLoop.runMain { _ in }
  }
}
