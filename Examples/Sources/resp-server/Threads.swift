@preconcurrency import Dispatch
import Foundation

/// Counts the loops that have ended.
final class EndedLoops: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func add() { semaphore.signal() }

  func wait(for count: Int) { for _ in 0..<count { semaphore.wait() } }
}

let endedLoops = EndedLoops()

/// Runs one of the server's loops on the calling thread. Signals `started` once other
/// threads can post to the loop.
func runServerLoop(_ index: Int, of server: Server, _ started: DispatchSemaphore) {
  do {
    let loop = try ServerLoop(server, index)
    server.add(loop)
    started.signal()
    try loop.run()
    endedLoops.add()
  } catch {
    FileHandle.standardError.write(Data("resp-server: \(error)\n".utf8))
    exit(1)
  }
}

/// Blocks SIGINT and SIGTERM in this thread and the threads that it starts.
///
/// A blocked signal stays pending until `stopOnTerminationSignals(_:)` receives it. The
/// server therefore never loses a signal and is never killed by a signal.
func blockTerminationSignals() {
  var signals = terminationSignalSet()
  pthread_sigmask(SIG_BLOCK, &signals, nil)
  // A shell makes its background processes ignore SIGINT. An ignored signal is discarded
  // instead of staying pending.
  for number in terminationSignals { signal(number, SIG_DFL) }
}

/// Stops the server on SIGINT or SIGTERM, including signals that are already pending.
func stopOnTerminationSignals(_ server: Server) {
  Thread.detachNewThread {
    var (signals, number) = (terminationSignalSet(), Int32(0))
    while sigwait(&signals, &number) == 0 { server.stop() }
  }
}

private let terminationSignals = [SIGINT, SIGTERM]

private func terminationSignalSet() -> sigset_t {
  var signals = sigset_t()
  sigemptyset(&signals)
  for number in terminationSignals { sigaddset(&signals, number) }
  return signals
}
