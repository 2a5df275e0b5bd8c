import CLoopbench
import LoopbenchKit

// The examples of the documentation comments, compiled and not run. scripts/lib/blocks.py
// compares them.

private func roundTrips(_ operations: Int) -> UInt64 { 0 }

private enum PeerExample {
  struct SpinWake: Peer {
    let name = "spin"
    let scenario = "wake"
    let series = ["across"]
    let summary = "a flag that the other thread polls"

    func measure(_ slice: inout Slice) throws(PeerError) {
      slice.sample { operations in roundTrips(operations) }
    }
  }
}

private struct MyLoopWake: Peer {
  let name = "mine"
  let scenario = "wake"
  let series = ["across"]
  let summary = ""

  func measure(_ slice: inout Slice) throws(PeerError) {}
}

private func registry() {
  let registry = Registry(
    scenarios: Registry.standard.scenarios,
    peers: Registry.standard.peers + [MyLoopWake()]
  )
  print(registry.peers.count)
}

private func figure() -> Figure {
  Figure("blankRatio", title: "blank %", scale: 100) {
    $0.ratio("blank", of: "seen")
  }
}

private final class MyLoop {
  func tick() {}
}

private func sample(_ slice: inout Slice, _ loop: MyLoop) {
  slice.sample { operations in
    let began = cl_now()
    for _ in 0..<operations { loop.tick() }
    return cl_now() - began
  }
}
