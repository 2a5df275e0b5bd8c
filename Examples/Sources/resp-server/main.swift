import Foundation
import LoopTransactions

// A server of the Redis protocol on libuv's own TCP handles: one loop a processor,
// each with its listener. Replies and messages are transactions.

signal(SIGPIPE, SIG_IGN)
let arguments = CommandLine.arguments.dropFirst()
if arguments.contains("--help") || arguments.contains("-h") {
  print(Options.help)
  exit(0)
}
do {
  let options = try Options(arguments, processors: ProcessInfo.processInfo.activeProcessorCount)
  // Before there are threads.
  holdSignals()
  let server = Server(options)
  let first = try ServerLoop(server, 0)
  server.add(first)
  // The first one has the port, if any was free to choose.
  for index in 1..<options.loops {
    let started = DispatchSemaphore(value: 0)
    Thread.detachNewThread { runLoop(index, of: server, started) }
    started.wait()
  }
  endBySignals(server)
  print("listening on \(options.address):\(server.port)")
  fflush(nil)
  try first.run()
  ended.wait(for: options.loops - 1)
  print(server.information, terminator: "")
} catch {
  FileHandle.standardError.write(Data("resp-server: \(error)\n".utf8))
  exit(error is Options.Fault ? 2 : 1)
}
