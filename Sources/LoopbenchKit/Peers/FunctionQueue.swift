import CLoopbench
internal import Dispatch

/// Something that runs functions, such as a loop, a queue or a pool.
public protocol FunctionRunner: Sendable {
  /// The peer's name on the command line and in reports.
  static var name: String { get }
  /// A description of the runner in one line.
  static var summary: String { get }
  /// Whether other peers are compared with this peer.
  static var isReference: Bool { get }
  /// The reason why the runner cannot be opened on this machine; `nil` if it can.
  static var unavailability: String? { get }

  /// Waits until every function has returned, and closes the runner.
  ///
  /// Call on the thread that opened the runner, after the last function was added.
  func close()
}

extension FunctionRunner {
  /// Returns true: reports compare other peers with the runner.
  public static var isReference: Bool { true }

  /// Returns nil: the runner can be opened on every machine.
  public static var unavailability: String? { nil }

  /// Does nothing.
  public func close() {}

  /// Calls `body`, then closes the runner.
  func closing(after body: (Self) throws(PeerError) -> Void) throws(PeerError) {
    let outcome = Result { () throws(PeerError) in try body(self) }
    close()
    try outcome.get()
  }
}

/// A peer that measures a `FunctionRunner` and takes its description from it.
public protocol RunnerPeer: Peer {
  /// The type of the runner.
  associatedtype Runner: FunctionRunner
}

extension RunnerPeer {
  /// The name of the runner.
  public var name: String { Runner.name }
  /// The description of the runner.
  public var summary: String { Runner.summary }
  /// Whether other peers are compared with the runner.
  public var isReference: Bool { Runner.isReference }
  /// The reason why the runner cannot be opened; `nil` if it can.
  public var unavailability: String? { Runner.unavailability }
}

/// Something that runs functions one after the other, such as a loop or a
/// serial queue.
///
/// ``QueuePost`` and ``QueueWake`` measure any queue. A package that has a queue of its
/// own adds `QueuePost<MyQueue>()` to its ``Registry``.
public protocol FunctionQueue: FunctionRunner {
  /// The series of `post` that measure this queue; `nil` means all series.
  static var postSeries: [String]? { get }
  /// Whether `post` measures this queue in a run that names no peers.
  static var isStandard: Bool { get }

  /// Opens a queue on the thread that will run it.
  ///
  /// - Parameter cpu: The CPU for the queue's own threads.
  static func open(cpu: Int?) throws(PeerError) -> Self

  /// Posts a function. Call from any thread.
  func post(_ function: @escaping PostedFunction, context: PostedContext?)

  /// Posts `count` calls of a function. Call from any thread.
  func post(_ count: Int, callsOf function: @escaping PostedFunction, context: PostedContext?)

  /// Calls `function` whenever the queue is about to wait.
  ///
  /// - Returns: Whether the queue supports this call. If it returns false, every
  ///   posted function counts as a tick.
  func beforeWaiting(_ function: @escaping PostedFunction, context: PostedContext?) -> Bool

  /// Blocks until `stop()` is called. Functions run on the calling thread unless
  /// the queue has its own threads.
  func run()

  /// Makes `run()` return. Call from any thread, including from a posted
  /// function.
  func stop()
}

extension FunctionQueue {
  /// The series that post closures.
  public static var postSeries: [String]? { ClosureSeries.all }

  /// Returns false: `post` measures the queue only if a run names it.
  public static var isStandard: Bool { false }

  /// Posts each call by itself.
  public func post(
    _ count: Int,
    callsOf function: @escaping PostedFunction,
    context: PostedContext?
  ) {
    for _ in 0..<count { post(function, context: context) }
  }

  /// Returns false: the queue cannot announce that it waits.
  public func beforeWaiting(_ function: @escaping PostedFunction, context: PostedContext?) -> Bool {
    false
  }
}

/// The series of `post` in which a queue gets closures.
enum ClosureSeries {
  static let all =
    ["closure.across", "closure.self"] + producerCounts.map { name(producers: $0) } + [chain]

  /// The numbers of threads that post in the series with several of them.
  static let producerCounts = [4, 16, 64]

  /// The series in which each closure posts the next one.
  static let chain = "closure.chain"

  static func name(_ item: String = "closure", producers: Int) -> String {
    "\(item).across.\(producers)"
  }

  /// The number of threads that post in a series of any item.
  static func producers(in series: String) -> Int {
    producerCounts.first { series.hasSuffix(".across.\($0)") } ?? 1
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

  static func open(cpu: Int?) throws(PeerError) -> UVQueue {
    guard let peer = cl_uv_post_open() else { throw .noLoop }
    return UVQueue(peer: UnsafeTransfer(peer))
  }

  /// The memory of the peer begins with its loop.
  private var loop: UnsafeMutableRawPointer { UnsafeMutableRawPointer(peer.value) }

  func post(_ function: @escaping PostedFunction, context: PostedContext?) {
    cl_uv_post_item(peer.value, function, context)
  }

  func post(_ count: Int, callsOf function: @escaping PostedFunction, context: PostedContext?) {
    cl_uv_post_burst(peer.value, UInt32(count), function, context)
  }

  func run() { cl_uv_loop_run(loop) }

  func stop() { post(cl_uv_loop_stop, context: loop) }

  func close() { cl_uv_loop_close(loop) }

  func beforeWaiting(_ function: @escaping PostedFunction, context: PostedContext?) -> Bool {
    cl_uv_post_before_waiting(peer.value, function, context)
    return true
  }
}

/// A list with a mutex and a condition. It is a floor, the least that a queue can cost.
struct CondQueue: FunctionQueue {
  static let name = "cond"
  static let summary =
    "C: a node from malloc, a list under pthread_mutex, pthread_cond_signal; no loop: a floor"
  static let postSeries: [String]? = ["typed.across", "typed.self"] + ClosureSeries.all

  private let queue: UnsafeTransfer<OpaquePointer>

  static func open(cpu: Int?) throws(PeerError) -> CondQueue {
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
/// It runs on libdispatch's threads. A thread is placed on its CPU when it first
/// runs a function.
struct DispatchedQueue: FunctionQueue {
  static let name = "dispatch"
  static let summary = "DispatchQueue.async to a serial queue, on libdispatch's threads"

  private let queue = DispatchQueue(label: "loopbench", qos: .userInitiated)
  private let gate = Gate()
  private let cpu: Int32

  static func open(cpu: Int?) -> DispatchedQueue { DispatchedQueue(cpu: Int32(cpu ?? -1)) }

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
  private let gate = Gate()
  private let last = Gate()
  private let cpu: Int32

  static func open(cpu: Int?) -> ActorQueue { ActorQueue(cpu: Int32(cpu ?? -1)) }

  // Tasks may reach the actor in a different order than they were created in.
  // `paced` still assigns the first answer to the first send. If one task overtakes
  // another, the two times are therefore wrong: their mean is right, but the larger
  // time is too small. A separate context for each send would avoid this, but no
  // other peer has one.
  func post(_ function: @escaping PostedFunction, context: PostedContext?) {
    let shared = UnsafeTransfer(context)
    Task { [actor, cpu] in await actor.run(function, shared, cpu: cpu) }
  }

  func run() { gate.wait() }

  func stop() { gate.pass() }

  /// Waits for another call of the actor, which runs after all earlier calls.
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
