import CLoopbench
internal import Dispatch

/// A function with a context: what every peer can be handed.
package typealias PostedFunction = @Sendable @convention(c) (PostedContext?) -> Void

/// What a posted function is called with.
package typealias PostedContext = UnsafeMutableRawPointer

/// Something that runs functions. Peers that use the same protocol differ only in it.
protocol FunctionRunner: Sendable {
  /// How the command line and reports name it.
  static var name: String { get }
  /// One line: what it is made of.
  static var summary: String { get }
  /// Whether others are compared with it.
  static var isReference: Bool { get }
  /// Why it cannot be opened here; `nil` when it can.
  static var unavailability: String? { get }

  /// Returns when no function runs any more.
  ///
  /// Call on the thread that opened it, when no function is handed over any more.
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

/// A peer that measures a runner of functions.
protocol RunnerPeer: Peer {
  associatedtype Runner: FunctionRunner
}

extension RunnerPeer {
  var name: String { Runner.name }
  var summary: String { Runner.summary }
  var isReference: Bool { Runner.isReference }
  var unavailability: String? { Runner.unavailability }
}

/// Something that runs functions one after the other, such as a loop or a serial queue.
protocol FunctionQueue: FunctionRunner {
  /// The series of `post` it takes part in.
  static var postSeries: [String] { get }
  /// Whether `post` measures it in a run that names no peers.
  static var isStandard: Bool { get }

  /// Opens one on the thread that will run it.
  ///
  /// - Parameter cpu: Where threads of its own belong.
  static func open(cpu: Int?) throws(PeerFailure) -> Self

  /// Hands a function over. Call from any thread.
  func post(_ function: @escaping PostedFunction, context: PostedContext?)

  /// Posts `count` steps to `finish`. Call from any thread.
  func post(_ count: Int, stepsTo finish: UnsafeMutablePointer<cl_finish>)

  /// Calls `function` whenever the queue is about to wait.
  ///
  /// - Returns: Whether it will; if not, every function is a tick of its own.
  func beforeWaiting(_ function: @escaping PostedFunction, context: PostedContext?) -> Bool

  /// Returns after `stop()`. Functions run on the calling thread unless the
  /// queue has threads of its own.
  func run()

  /// Ends `run()`. Call from any thread, or from a function.
  func stop()
}

extension FunctionQueue {
  static var postSeries: [String] { ["closure.across", "closure.self"] }

  static var isStandard: Bool { false }

  func post(_ count: Int, stepsTo finish: UnsafeMutablePointer<cl_finish>) {
    for _ in 0..<count { post(cl_finish_step, context: finish) }
  }

  func beforeWaiting(_ function: @escaping PostedFunction, context: PostedContext?) -> Bool {
    false
  }
}

/// A closure that C calls: a C function cannot be made from one that captures,
/// or that is generic.
final class CallbackBox: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  /// Calls the `CallbackBox` whose address it is told.
  static let call: PostedFunction = { context in
    guard let context else { return }
    Unmanaged<CallbackBox>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.body() }
  }

  /// The context of `call`. Keep the caller until C has forgotten it.
  var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}

/// A list of functions that a libuv loop runs, in C.
struct UVQueue: FunctionQueue {
  static let name = "uv"
  static let summary =
    "C on libuv: a node from malloc, a queue under uv_mutex, uv_async_send if it was empty"
  static let postSeries = PostLoad.series
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

/// A list under a mutex and a condition: the floor.
struct CondQueue: FunctionQueue {
  static let name = "cond"
  static let summary =
    "C: a node from malloc, a list under pthread_mutex, pthread_cond_signal; no loop: the floor"
  static let postSeries = ["typed.across", "closure.across", "typed.self", "closure.self"]

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
/// Its threads are libdispatch's: each is placed when it first runs something.
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
  func post(_ function: @escaping PostedFunction, context: PostedContext?) {
    let shared = UnsafeTransfer(context)
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
