import Foundation
import LoopTransactions

// A Redis-protocol server. Each processor has a thread with an event loop and a listener.
// A connection's replies and messages of a tick are sent with one write.

let arguments = CommandLine.arguments.dropFirst()
if arguments.contains("--help") || arguments.contains("-h") {
  print(Options.help)
  exit(0)
}
do {
  let options = try Options(arguments, processors: ProcessInfo.processInfo.activeProcessorCount)
  let server = try Server(options)
  let port = try server.start()
  try run { print("listening on \(options.address):\(port)") }
  try server.shutDown()
  print(server.information, terminator: "")
  exit(0)
} catch {
  FileHandle.standardError.write(Data("resp-server: \(error)\n".utf8))
  exit(error is OptionWords.UsageError ? 2 : 1)
}

/// Calls `ready` on a running loop, and waits for SIGINT or SIGTERM.
func run(_ ready: @escaping @Sendable () -> Void) throws {
  let loop = try EventLoop()
  do {
    for number in [SIGINT, SIGTERM] { try loop.onSignal(number) { loop.stop() } }
    // Not before `run()`, which opens a descriptor for the main queue: a client that reads
    // the output of `ready` may count the server's descriptors.
    try loop.port.post {
      ready()
      fflush(nil)
    }
  } catch {
    try loop.close()
    throw error
  }
  loop.run()
  // The loop stays open. Closing it would give the signals their default effect, and a
  // second signal could kill the server.
  _ = Unmanaged.passRetained(loop)
}
