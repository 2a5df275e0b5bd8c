// A program waits for a child process, and ends when it receives SIGTERM.
//
// Prints:
//   the child exited with 3
//   SIGTERM

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
import LoopTransactions

/// Starts a shell that runs `script`, and returns its process identifier.
func start(_ script: String) -> pid_t {
  var process: pid_t = 0
  let words: [String] = ["sh", "-c", script]
  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
  arguments.append(nil)
  guard posix_spawn(&process, "/bin/sh", nil, nil, &arguments, nil) == 0 else {
    fatalError("cannot start sh")
  }
  return process
}

// snippet.watch
let loop = try EventLoop()
try loop.onSignal(SIGTERM) {
  print("SIGTERM")
  loop.stop()
}
// snippet.end
try loop.onExit(of: start("exit 3")) { status in
  if case .exited(let code) = status { print("the child exited with", code) }
  kill(getpid(), SIGTERM)
}
loop.run()
try loop.close()
