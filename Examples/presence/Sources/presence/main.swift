import Foundation
import LoopTransactions

do {
  raiseDescriptorLimit()
  switch try Command(CommandLine.arguments.dropFirst()) {
  case .help: print(Command.usage)
  case .node(let options): try Node.run(options)
  case .clients(let options): try runClients(options)
  }
} catch {
  FileHandle.standardError.write(Data("presence: \(error)\n".utf8))
  exit(error is Command.UsageError ? 2 : 1)
}

/// Lets this process open as many descriptors as the system permits.
func raiseDescriptorLimit() {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  limit.rlim_cur = limit.rlim_max
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

/// Prints a line at once, also to a pipe.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
