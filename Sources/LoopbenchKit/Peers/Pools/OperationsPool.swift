private import CLoopbench

/// An `OperationQueue` that runs several operations at once.
struct OperationsPool: FunctionPool {
  static let name = "opqueue"
  static let summary = "OperationQueue.addOperation, 4 at once, on libdispatch's threads"
  static let poolSeries = ["empty", "cancel"]
  static var unavailability: String? { FoundationLibrary.unavailability }

  private let functions: cl_pool_functions
  private let pool: Shared<UnsafeMutableRawPointer>

  static func open() throws(PeerFailure) -> OperationsPool {
    let functions: cl_pool_functions = try FoundationLibrary.functions("loopbench_oppool_1")
    guard let pool = functions.open(Int32(PoolLoad.workers)) else { throw .noMemory }
    return OperationsPool(functions: functions, pool: Shared(pool))
  }

  func add(
    _ function: @escaping PostedFunction,
    context: UnsafeMutableRawPointer?,
    _ urgency: Urgency
  ) {
    functions.add(pool.value, function, context, urgency.rawValue)
  }

  func cancel(_ count: Int) -> UInt64 { functions.cancel(pool.value, UInt32(count)) }

  func close() { functions.close(pool.value) }
}
