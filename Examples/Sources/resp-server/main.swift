import Foundation
import LoopTransactions

// A Redis-protocol server on libuv's TCP handles. It runs one loop per processor, each
// with its own listener. A transaction sends a connection's replies and messages.

signal(SIGPIPE, SIG_IGN)
let arguments = CommandLine.arguments.dropFirst()
if arguments.contains("--help") || arguments.contains("-h") {
  print(Options.help)
  exit(0)
}
do {
  let options = try Options(arguments, processors: ProcessInfo.processInfo.activeProcessorCount)
  // Order: block the signals before any thread starts, because threads inherit the
  // mask.
  blockTerminationSignals()
  let server = Server(options)
  let first = try ServerLoop(server, 0)
  server.add(first)
  // Order: start the other loops after the first loop, which selects the port for
  // `--port 0`.
  for index in 1..<options.loops {
    let started = DispatchSemaphore(value: 0)
    Thread.detachNewThread { runServerLoop(index, of: server, started) }
    started.wait()
  }
  stopOnTerminationSignals(server)
  print("listening on \(options.address):\(server.port)")
  fflush(nil)
  try first.run()
  endedLoops.wait(for: options.loops - 1)
  print(server.information, terminator: "")
} catch {
  FileHandle.standardError.write(Data("resp-server: \(error)\n".utf8))
  exit(error is Options.UsageError ? 2 : 1)
}
