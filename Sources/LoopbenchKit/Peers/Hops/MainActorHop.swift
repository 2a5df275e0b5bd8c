private import CLoopbench
import LoopTransactions

/// `hop` to the main actor, whose queue a bridge serves on a loop.
struct MainActorHop: Peer {
  let name = "main"
  let scenario = "hop"
  let series = ["call"]
  let summary = "MainActor, on a MainQueueBridge of an EventLoop, called from Swift's threads"

  let isOnFirstThread = true

  var unavailability: String? {
    System.isMainThread ? nil : "it is measured on the program's first thread only"
  }

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    guard series.contains(slice.series) else { throw slice.unknownSeries }
    try EventLoop.measuring { (loop) throws(PeerFailure) in
      do {
        _ = try MainQueueBridge(on: loop)
      } catch {
        throw PeerFailure("\(error)")
      }
      let port = loop.port
      try slice.sample { (count) throws(PeerFailure) in
        let run = HopRun()
        Task.detached {
          let target = Touched()
          let began = cl_now()
          for _ in 0..<count {
            await target.touch()
            run.didReturn()
          }
          run.end(await target.touched, since: began)
          port.stop()
        }
        loop.run()
        return try run.time(of: count)
      }
    }
  }

  @MainActor
  private final class Touched {
    private(set) var touched = 0

    func touch() { touched += 1 }
  }
}
