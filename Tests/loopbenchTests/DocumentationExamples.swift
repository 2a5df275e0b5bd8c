import LoopbenchCommands
import LoopbenchKit

// The examples of the documentation comments, compiled and not run. scripts/lib/blocks.py
// compares them.

private struct MyPeer: Peer {
  let name = "mine"
  let scenario = "mine"
  let series = ["one"]
  let summary = ""

  func measure(_ slice: inout Slice) throws(PeerError) {}
}

private func main(_ mine: Scenario) {
  Loopbench.main(Registry(scenarios: [mine], peers: [MyPeer()]))
}
