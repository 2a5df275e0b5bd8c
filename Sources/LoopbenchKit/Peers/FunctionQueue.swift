import CLoopbench
internal import Dispatch

/// Something that runs functions, such as a loop, a queue or a pool.
protocol FunctionRunner: Sendable {
  /// The peer's name on the command line and in reports.
  static var name: String { get }
  /// A description of the runner in one line.
  static var summary: String { get }
  /// Whether other peers are compared with it.
  static var isReference: Bool { get }
  /// The reason it cannot be opened here; `nil` when it can.
  static var unavailability: String? { get }

  /// Waits until no function runs any more, and closes the runner.
  ///
  /// Call on the thread that opened it, after the last function was added.
  func close()
}

extension FunctionRunner {
  static var isReference: Bool { true }

  static var unavailability: String? { nil }

  func close() {}

  /// Calls `body`, then closes the runner.
  func closing(after body: (Self) throws(PeerFailure) -> Void) throws(PeerFailure) {
    let outcome = Result { () throws(PeerFailure) in try body(self) }
    close()
    try outcome.get()
  }
}

/// A peer that measures a `FunctionRunner` and takes its description from it.
protocol RunnerPeer: Peer {
  associatedtype Runner: FunctionRunner
}

extension RunnerPeer {
  var name: String { Runner.name }
  var summary: String { Runner.summary }
  var isReference: Bool { Runner.isReference }
  var unavailability: String? { Runner.unavailability }
}

/// Something that runs functions one after the other, such as a loop or a
/// serial queue.
protocol FunctionQueue: FunctionRunner {
  /// The series of `post` it takes part in; `nil` means all.
  static var postSeries: [String]? { get }
  /// Whether `post` measures it in a run that names no peers.
  static var isStandard: Bool { get }

  /// Opens a queue on the thread that will run it.
  ///
  /// - Parameter cpu: The CPU for the queue's own threads.
  static func open(cpu: Int?) throws(PeerFailure) -> Self

  /// Posts a function. Call from any thread.
  func post(_ function: @escaping PostedFunction, context: PostedContext?)

  /// Posts `count` steps to `finish`. Call from any thread.
  func post(_ count: Int, stepsTo finish: UnsafeMutablePointer<cl_finish>)

  /// Calls `function` whenever the queue is about to wait.
  ///
  /// - Returns: Whether the queue supports this. If it does not, every posted
  ///   function counts as a tick.
  func beforeWaiting(_ function: @escaping PostedFunction, context: PostedContext?) -> Bool

  /// Returns after `stop()`. Functions run on the calling thread unless the
  /// queue has its own threads.
  func run()

  /// Makes `run()` return. Call from any thread, including from a posted
  /// function.
  func stop()
}

extension FunctionQueue {
  static var postSeries: [String]? { ["closure.across", "closure.self"] }

  static var isStandard: Bool { false }

  func post(_ count: Int, stepsTo finish: UnsafeMutablePointer<cl_finish>) {
    for _ in 0..<count { post(cl_finish_step, context: finish) }
  }

  func beforeWaiting(_ function: @escaping PostedFunction, context: PostedContext?) -> Bool {
    false
  }
}

/// A list of functions that a libuv loop runs, in C.
struct UVQueue: FunctionQueue {
  static let name = "uv"
  static let summary =
    "C on libuv: a node from malloc, a queue under uv_mutex, uv_async_send if it was empty"
  static let postSeries: [String]? = nil
  static let isStandard = true

  private let peer: UnsafeTransfer<OpaquePointer>

  static func open(cpu: Int?) throws(PeerFailure) -> UVQueue {
    guard let peer = cl_uv_post_open() else { throw .noLoop }
    return UVQueue(peer: UnsafeTransfer(peer))
  }

  /// The peer begins with its loop.
  private var loop: UnsafeMutableRawPointer { UnsafeMutableRawPointer(peer.value) }

  func post(_ function: @escaping PostedFunction, context: PostedContext?) {
    cl_uv_post_item(peer.value, function, context)
  }

  func post(_ count: Int, stepsTo finish: UnsafeMutablePointer<cl_finish>) {
    cl_uv_post_burst(peer.value, finish, UInt32(count))
  }

  func run() { cl_uv_loop_run(loop) }

  func stop() { post(cl_uv_loop_stop, context: loop) }

  func close() { cl_uv_loop_close(loop) }

  func beforeWaiting(_ function: @escaping PostedFunction, context: PostedContext?) -> Bool {
    cl_uv_post_before_waiting(peer.value, function, context)
    return true
  }
}

/// A list under a mutex and a condition. This is the floor.
struct CondQueue: FunctionQueue {
  static let name = "cond"
  static let summary =
    "C: a node from malloc, a list under pthread_mutex, pthread_cond_signal; no loop: the floor"
  static let postSeries: [String]? = [
    "typed.across", "closure.across", "typed.self", "closure.self",
  ]

  private let queue: UnsafeTransfer<OpaquePointer>

  static func open(cpu: Int?) throws(PeerFailure) -> CondQueue {
    guard let queue = cl_cond_open() else { throw .noMemory }
    return CondQueue(queue: UnsafeTransfer(queue))
  }

  func post(_ function: @escaping PostedFunction, context: PostedContext?) {
    cl_cond_post(queue.value, function, context)
  }

  func run() { cl_cond_run(queue.value) }

  func stop() { cl_cond_stop(queue.value) }

  func close() { cl_cond_close(queue.value) }
}

/// A serial dispatch queue.
///
/// It runs on libdispatch's threads. Each is placed when it first runs a
/// function.
struct DispatchedQueue: FunctionQueue {
  static let name = "dispatch"
  static let summary = "DispatchQueue.async to a serial queue, on libdispatch's threads"

  private let queue: DispatchQueue
  private let gate: Gate
  private let cpu: Int32

  static func open(cpu: Int?) throws(PeerFailure) -> DispatchedQueue {
    DispatchedQueue(
      queue: DispatchQueue(label: "loopbench", qos: .userInitiated),
      gate: try Gate(),
      cpu: Int32(cpu ?? -1)
    )
  }

  func post(_ function: @escaping PostedFunction, context: PostedContext?) {
    let shared = UnsafeTransfer(context)
    queue.async { [cpu] in
      cl_thread_place(cpu)
      function(shared.value)
    }
  }

  func run() { gate.wait() }

  func stop() { gate.pass() }

  func close() { queue.sync {} }
}

/// A default actor, called from a new task for each function.
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

  // Tasks may reach the actor in a different order from that of their creation.
  // `paced` still assigns the first answer to the first send. When two tasks
  // overtake each other their times are mixed: the mean stays right, and the
  // larger of the two times comes out smaller. Telling them apart would need a
  // separate context for each send, which no other peer has.
  func post(_ function: @escaping PostedFunction, context: PostedContext?) {
    let shared = UnsafeTransfer(context)
    Task { [actor, cpu] in await actor.run(function, shared, cpu: cpu) }
  }

  func run() { gate.wait() }

  func stop() { gate.pass() }

  /// Waits for one more call of the actor, which runs after the earlier ones.
  func close() {
    Task { [actor, last] in await actor.pass(last) }
    last.wait()
  }

  private actor Hop {
    func run(
      _ function: PostedFunction,
      _ context: UnsafeTransfer<UnsafeMutableRawPointer?>,
      cpu: Int32
    ) {
      cl_thread_place(cpu)
      function(context.value)
    }

    func pass(_ gate: Gate) { gate.pass() }
  }
}
