private import CLoopbench

/// A list under a mutex and a condition: the floor.
struct CondQueue: FunctionQueue {
  static let name = "cond"
  static let summary =
    "C: a node from malloc, a list under pthread_mutex, pthread_cond_signal; no loop: the floor"
  static let postSeries = ["typed.across", "closure.across", "typed.self", "closure.self"]

  private let queue: Shared<OpaquePointer>

  static func open(cpu: Int?) throws(PeerFailure) -> CondQueue {
    guard let queue = cl_cond_open() else { throw .noMemory }
    return CondQueue(queue: Shared(queue))
  }

  func post(_ function: @escaping PostedFunction, context: UnsafeMutableRawPointer?) {
    cl_cond_post(queue.value, function, context)
  }

  func run() { cl_cond_run(queue.value) }

  func stop() { cl_cond_stop(queue.value) }

  func close() { cl_cond_close(queue.value) }
}
