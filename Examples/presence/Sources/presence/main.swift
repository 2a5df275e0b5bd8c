import Foundation
import LoopTransactions

do {
  switch try Command(CommandLine.arguments.dropFirst()) {
  case .help: print(Command.usage)
  case .node(let options):
    try raiseDescriptorLimit(for: options.clients)
    try Node.run(options)
  case .clients(let options):
    try raiseDescriptorLimit(for: options.count)
    try runClients(options)
  }
} catch {
  fail(error)
}

/// Ends the program with a message and a code.
///
/// Called where a loop is open: an error that leaves the function would release the loop
/// without closing it, which is a trap.
func fail(_ error: any Error) -> Never {
  FileHandle.standardError.write(Data("presence: \(error)\n".utf8))
  exit(error is OptionWords.UsageError ? 2 : 1)
}

/// Lets this process open a descriptor for each of `clients`, and some more.
func raiseDescriptorLimit(for clients: Int) throws {
  // 100: for loops, Redis, and the files of the system's libraries. Not measured.
  let needed = rlim_t(clients + 100)
  let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  var limit = rlimit()
  getrlimit(resource, &limit)
  guard limit.rlim_cur < needed else { return }
  let (soft, hard) = (limit.rlim_cur, limit.rlim_max)
  limit = rlimit(rlim_cur: needed, rlim_max: max(hard, needed))
  guard setrlimit(resource, &limit) != 0 else { return }
  throw DescriptorLimitRefused(
    description: """
      \(clients) clients need \(needed) descriptors, but the limit is \(soft), and setrlimit \
      failed: \(String(cString: strerror(errno))); raise the hard limit, which is \(hard), or \
      have fewer clients
      """
  )
}

struct DescriptorLimitRefused: Error, CustomStringConvertible {
  let description: String
}

/// Prints a line at once, also to a pipe.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
