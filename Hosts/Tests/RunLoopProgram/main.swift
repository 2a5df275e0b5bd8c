import HostCases
import LoopTransactionsFoundation
import MainRunLoop

try runCase(
  on: MainRunLoop { loop in
    let host = try RunLoopHost(loop)
    return { host.cancel() }
  }
)
