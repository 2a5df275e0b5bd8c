import CLoopbench

/// The library of the peers that need Foundation, which is loaded when the first is
/// opened: `loopbench` itself starts without it.
enum FoundationLibrary {
  #if os(macOS)
    private static let file = "libloopbench-foundation.dylib"
  #else
    private static let file = "libloopbench-foundation.so"
  #endif

  /// Why it cannot be there; `nil` when it is.
  static var unavailability: String? {
    cl_library_exists(file) != 0
      ? nil
      : "\(file) is not beside loopbench; swift build --product loopbench-foundation makes it"
  }

  /// What its function `symbol` describes: a C structure of functions.
  static func functions<Functions: BitwiseCopyable>(
    _ symbol: String
  ) throws(PeerFailure) -> Functions {
    var reason = [CChar](repeating: 0, count: 512)
    guard let address = cl_library_symbol(file, symbol, &reason, reason.count) else {
      let text = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw PeerFailure("could not load \(file): \(String(decoding: text, as: UTF8.self))")
    }
    // The library is of the same package, and says so in its function's name.
    let describe = unsafeBitCast(
      address,
      to: (@convention(c) (UnsafeMutableRawPointer) -> Void).self
    )
    return withUnsafeTemporaryAllocation(of: Functions.self, capacity: 1) { buffer in
      describe(UnsafeMutableRawPointer(buffer.baseAddress.unsafelyUnwrapped))
      return buffer[0]
    }
  }
}

/// A queue in the library that needs Foundation.
protocol LibraryQueue: FunctionQueue {
  /// The function of the library that describes it.
  static var symbol: String { get }
  var functions: cl_queue_functions { get }
  var queue: UnsafeTransfer<UnsafeMutableRawPointer> { get }

  init(functions: cl_queue_functions, queue: UnsafeTransfer<UnsafeMutableRawPointer>)
}

extension LibraryQueue {
  static var unavailability: String? { FoundationLibrary.unavailability }

  static func open(cpu: Int?) throws(PeerFailure) -> Self {
    let functions: cl_queue_functions = try FoundationLibrary.functions(symbol)
    guard let queue = functions.open(Int32(cpu ?? -1)) else { throw .noMemory }
    return Self(functions: functions, queue: UnsafeTransfer(queue))
  }

  func post(_ function: @escaping PostedFunction, context: PostedContext?) {
    functions.post(queue.value, function, context)
  }

  func run() { functions.run(queue.value) }

  func stop() { functions.stop(queue.value) }

  func close() { functions.close(queue.value) }
}

/// An `OperationQueue`.
struct OperationsQueue: LibraryQueue {
  static let name = "opqueue"
  static let summary = "OperationQueue.addOperation, one at a time, on libdispatch's threads"
  // Not across: with 100000 to operations waiting each costs it 36 us here, and a
  // slice 29 s.
  static let postSeries = ["closure.self"]
  static let symbol = "loopbench_opqueue_1"

  let functions: cl_queue_functions
  let queue: UnsafeTransfer<UnsafeMutableRawPointer>
}

/// A Foundation run loop on a thread of its own.
struct RunLoopThread: LibraryQueue {
  static let name = "runloop"
  static let summary = "CFRunLoopPerformBlock and CFRunLoopWakeUp to a RunLoop on a thread"
  static let symbol = "loopbench_runloop_1"

  let functions: cl_queue_functions
  let queue: UnsafeTransfer<UnsafeMutableRawPointer>
}

/// An `OperationQueue` that runs several operations at once.
struct OperationsPool: FunctionPool {
  static let name = "opqueue"
  static let summary = "OperationQueue.addOperation, 4 at once, on libdispatch's threads"
  static let poolSeries = ["empty", "cancel"]
  static var unavailability: String? { FoundationLibrary.unavailability }

  private let functions: cl_pool_functions
  private let pool: UnsafeTransfer<UnsafeMutableRawPointer>

  static func open() throws(PeerFailure) -> OperationsPool {
    let functions: cl_pool_functions = try FoundationLibrary.functions("loopbench_oppool_1")
    guard let pool = functions.open(Int32(PoolLoad.workers)) else { throw .noMemory }
    return OperationsPool(functions: functions, pool: UnsafeTransfer(pool))
  }

  func add(_ function: @escaping PostedFunction, context: PostedContext?, _ urgency: Urgency) {
    functions.add(pool.value, function, context, urgency.rawValue)
  }

  func cancel(_ count: Int) -> UInt64 { functions.cancel(pool.value, UInt32(count)) }

  func close() { functions.close(pool.value) }
}
