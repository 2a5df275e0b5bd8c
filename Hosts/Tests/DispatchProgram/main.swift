import Dispatch
import HostCases
import LoopTransactions
import LoopTransactionsDispatch
import MainRunLoop

if CommandLine.arguments.dropFirst().first == "elsewhere" {
  let loop = try EventLoop()
  _ = try DispatchHost(loop)
  try loop.port.post {}
  dispatchMain()
}
try runCase(
  on: MainRunLoop { loop in
    let host = try DispatchHost(loop)
    return { host.cancel() }
  }
)
