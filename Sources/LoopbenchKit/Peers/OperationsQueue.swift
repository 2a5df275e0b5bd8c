/// An `OperationQueue`.
struct OperationsQueue: FunctionQueue {
  static let name = "opqueue"
  static let summary = "OperationQueue.addOperation, one at a time, on libdispatch's threads"
  // Not across: with 100000 to operations waiting each costs it 36 us here, and a
  // slice 29 s.
  static let postSeries = ["closure.self"]
  static var unavailability: String? { LibraryQueue.unavailability }

  private let queue: LibraryQueue

  static func open(cpu: Int?) throws(PeerFailure) -> OperationsQueue {
    OperationsQueue(queue: try LibraryQueue("loopbench_opqueue_1", cpu: cpu))
  }

  func post(_ function: @escaping PostedFunction, context: UnsafeMutableRawPointer?) {
    queue.post(function, context: context)
  }

  func run() { queue.run() }

  func stop() { queue.stop() }

  func close() { queue.close() }
}
