private import CLoopbench

/// `hop` to a default actor.
struct ActorHop: Peer {
  let name = "actor"
  let scenario = "hop"
  let series = ["call"]
  let summary = "a default actor, called by a task: both on Swift's threads, and nobody else there"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    guard series.contains(slice.series) else { throw slice.unknownSeries }
    let gate = try Gate()
    try slice.sample { (count) throws(PeerFailure) in
      let (run, actor) = (HopRun(), Touched())
      Task.detached {
        // Another peer may have placed the thread.
        cl_thread_place(-1)
        let began = cl_now()
        for _ in 0..<count {
          await actor.touch()
          run.didReturn()
        }
        run.end(await actor.touched, since: began)
        gate.pass()
      }
      gate.wait()
      return try run.time(of: count)
    }
  }

  private actor Touched {
    private(set) var touched = 0

    func touch() { touched += 1 }
  }
}
