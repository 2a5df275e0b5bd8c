/// A Foundation run loop on a thread of its own.
struct RunLoopThread: FunctionQueue {
  static let name = "runloop"
  static let summary = "CFRunLoopPerformBlock and CFRunLoopWakeUp to a RunLoop on a thread"
  static var unavailability: String? { LibraryQueue.unavailability }

  private let queue: LibraryQueue

  static func open(cpu: Int?) throws(PeerFailure) -> RunLoopThread {
    RunLoopThread(queue: try LibraryQueue("loopbench_runloop_1", cpu: cpu))
  }

  func post(_ function: @escaping PostedFunction, context: UnsafeMutableRawPointer?) {
    queue.post(function, context: context)
  }

  func run() { queue.run() }

  func stop() { queue.stop() }

  func close() { queue.close() }
}
