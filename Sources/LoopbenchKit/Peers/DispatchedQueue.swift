private import CLoopbench
internal import Dispatch

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

  func post(_ function: @escaping PostedFunction, context: UnsafeMutableRawPointer?) {
    let shared = Shared(context)
    queue.async { [cpu] in
      cl_thread_place(cpu)
      function(shared.value)
    }
  }

  func run() { gate.wait() }

  func stop() { gate.pass() }

  func close() { queue.sync {} }
}
