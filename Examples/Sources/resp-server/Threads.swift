@preconcurrency import Dispatch
import Foundation

/// Counts loops that have ended.
final class Ended: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func add() { semaphore.signal() }

  func wait(for count: Int) { for _ in 0..<count { semaphore.wait() } }
}

let ended = Ended()

/// Runs a loop of the server on the calling thread, and tells when it is there.
func runLoop(_ index: Int, of server: Server, _ started: DispatchSemaphore) {
  do {
    let loop = try ServerLoop(server, index)
    server.add(loop)
    started.signal()
    try loop.run()
    ended.add()
  } catch {
    FileHandle.standardError.write(Data("resp-server: \(error)\n".utf8))
    exit(1)
  }
}

/// Keeps SIGINT and SIGTERM from this thread and from all that it starts: they wait for
/// `endBySignals`. None is lost, and none kills, however early or late it comes.
func holdSignals() {
  var signals = endSignalSet()
  pthread_sigmask(SIG_BLOCK, &signals, nil)
  // A shell has what it starts in the background ignore SIGINT, and then none waits.
  for number in endSignals { signal(number, SIG_DFL) }
}

/// Has SIGINT and SIGTERM, those that wait among them, end the server in order.
func endBySignals(_ server: Server) {
  Thread.detachNewThread {
    var (signals, number) = (endSignalSet(), Int32(0))
    while sigwait(&signals, &number) == 0 { server.stop() }
  }
}

private let endSignals = [SIGINT, SIGTERM]

private func endSignalSet() -> sigset_t {
  var signals = sigset_t()
  sigemptyset(&signals)
  for number in endSignals { sigaddset(&signals, number) }
  return signals
}
