import GLibLoop
import HostCases
import LoopTransactions

// GLib's loop, known only by the function with which other threads call it.
let execute: HostExecutor.Execute = { work in
  GLibLoop.invoke(work)
  return true
}
let words = CommandLine.arguments.dropFirst()
if words.first == "lateness", let host = words.dropFirst().first.flatMap(ThreadlessHost.init) {
  host.lateness()
} else {
  try runCase(
    on: GLibLoop { loop in
      let host = try ExecutorHost(loop, on: HostExecutor(execute: execute, executeLater: execute))
      return { host.cancel() }
    }
  )
}
