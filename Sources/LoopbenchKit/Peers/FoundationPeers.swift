import CLoopbench
import LoopTransactions

/// The library with the peers that need Foundation. It is loaded when the first
/// of them is opened, because `loopbench` itself starts without Foundation.
enum FoundationLibrary {
  #if os(macOS)
    private static let file = "libloopbench-foundation.dylib"
  #else
    private static let file = "libloopbench-foundation.so"
  #endif

  /// A path beside the program, or beside the library that contains this code.
  private static var path: String {
    let own = String(capacity: 4096) { cl_own_path($0, $1) }
    let folder = own.lastIndex(of: "/").map { own[...$0] } ?? ""
    return folder + file
  }

  /// The reason why the library cannot be loaded; `nil` if its file exists.
  static var unavailability: String? {
    access(path, R_OK) == 0
      ? nil
      : "\(file) is not beside loopbench; swift build --product loopbench-foundation makes it"
  }

  /// Loads the library, calls its function `symbol` and returns the C structure
  /// that this function fills in. The library stays loaded.
  static func functions<Functions: BitwiseCopyable>(
    _ symbol: String
  ) throws(PeerError) -> Functions {
    let library = dlopen(path, RTLD_NOW | RTLD_LOCAL)
    guard let library, let address = dlsym(library, symbol) else {
      let reason = dlerror().map { String(cString: $0) } ?? "it lacks a function"
      throw PeerError("could not load \(file): \(reason)")
    }
    // The library comes from the same package, so the type matches. The number in
    // the function's name is the version of the structure.
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

/// A Foundation run loop on a separate thread.
struct RunLoopThread: FunctionQueue {
  static let name = "runloop"
  static let summary = "CFRunLoopPerformBlock and CFRunLoopWakeUp to a RunLoop on a thread"
  static var unavailability: String? { FoundationLibrary.unavailability }

  private let functions: cl_queue_functions
  private let queue: UnsafeTransfer<UnsafeMutableRawPointer>

  static func open(cpu: Int?) throws(PeerError) -> RunLoopThread {
    let functions: cl_queue_functions = try FoundationLibrary.functions("loopbench_runloop_2")
    guard let queue = functions.open() else { throw .noMemory }
    return RunLoopThread(functions: functions, queue: UnsafeTransfer(queue))
  }

  func post(_ function: @escaping PostedFunction, context: PostedContext?) {
    functions.post(queue.value, function, context)
  }

  func run() { functions.run(queue.value) }

  func stop() { functions.stop(queue.value) }

  func close() { functions.close(queue.value) }
}

/// An `OperationQueue` that runs several operations at once.
struct OperationsPool: FunctionPool {
  static let name = "opqueue"
  static let summary = "OperationQueue.addOperation, 4 at once, on libdispatch's threads"
  static let poolSeries = ["empty", "cancel"]
  static var unavailability: String? { FoundationLibrary.unavailability }

  private let functions: cl_pool_functions
  private let pool: UnsafeTransfer<UnsafeMutableRawPointer>

  static func open() throws(PeerError) -> OperationsPool {
    let functions: cl_pool_functions = try FoundationLibrary.functions("loopbench_oppool_3")
    guard let pool = functions.open(Int32(PoolLoad.workers)) else { throw .noMemory }
    return OperationsPool(functions: functions, pool: UnsafeTransfer(pool))
  }

  func add(_ call: PostedCall, _ priority: OperationPriority) {
    functions.add(pool.value, call.function, call.context, Int32(priority.rawValue))
  }

  func cancel(_ count: Int) -> UInt64 { functions.cancel(pool.value, UInt32(count)) }

  func close() { functions.close(pool.value) }
}
