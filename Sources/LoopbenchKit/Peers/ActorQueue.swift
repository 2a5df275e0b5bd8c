private import CLoopbench

/// A default actor, hopped to from a new task.
struct ActorQueue: FunctionQueue {
  static let name = "actor"
  static let summary = "a new Task that hops to a default actor, on the concurrency pool's threads"

  private let actor = Hop()
  private let gate: Gate
  private let last: Gate
  private let cpu: Int32

  static func open(cpu: Int?) throws(PeerFailure) -> ActorQueue {
    ActorQueue(gate: try Gate(), last: try Gate(), cpu: Int32(cpu ?? -1))
  }

  // Nothing says that tasks reach the actor in the order they were made in. `paced`
  // gives the first answer to the first send all the same: where two overtook one
  // another their times are mixed, so that the mean is right, and the larger of the
  // two comes out smaller. To know which is which, each send would need a context
  // of its own, which no other peer has.
  func post(_ function: @escaping PostedFunction, context: UnsafeMutableRawPointer?) {
    let shared = Shared(context)
    Task { [actor, cpu] in await actor.run(function, shared, cpu: cpu) }
  }

  func run() { gate.wait() }

  func stop() { gate.pass() }

  /// One more hop: whatever ran before has left the actor then.
  func close() {
    Task { [actor, last] in await actor.pass(last) }
    last.wait()
  }

  private actor Hop {
    func run(_ function: PostedFunction, _ context: Shared<UnsafeMutableRawPointer?>, cpu: Int32) {
      cl_thread_place(cpu)
      function(context.value)
    }

    func pass(_ gate: Gate) { gate.pass() }
  }
}
