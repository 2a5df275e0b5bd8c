public import CLoopbench
import Foundation

/// The peer `opqueue`: an `OperationQueue` that runs one operation at a time.
final class OperationPeer: Sendable {
  private let queue = OperationQueue()
  private let ended = DispatchSemaphore(value: 0)
  private let cpu: Int32

  init(cpu: Int32) {
    self.cpu = cpu
    queue.maxConcurrentOperationCount = 1
    queue.qualityOfService = .userInitiated
  }

  func post(
    _ function: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
    _ context: UnsafeMutableRawPointer?
  ) {
    nonisolated(unsafe) let context = context
    queue.addOperation { [cpu] in
      cl_thread_place(cpu)
      function(context)
    }
  }

  func run() { ended.wait() }

  func stop() { ended.signal() }

  func close() { queue.waitUntilAllOperationsAreFinished() }
}

/// Describes the peer `opqueue`. The number is that of the agreement with
/// `loopbench`, which looks the function up by name.
@_cdecl("loopbench_opqueue_1")
public func describeOperationPeer(_ functions: UnsafeMutablePointer<cl_queue_functions>) {
  functions.initialize(
    to: cl_queue_functions(
      open: { Unmanaged.passRetained(OperationPeer(cpu: $0)).toOpaque() },
      post: { Unmanaged<OperationPeer>.fromOpaque($0).takeUnretainedValue().post($1, $2) },
      run: { Unmanaged<OperationPeer>.fromOpaque($0).takeUnretainedValue().run() },
      stop: { Unmanaged<OperationPeer>.fromOpaque($0).takeUnretainedValue().stop() },
      close: { Unmanaged<OperationPeer>.fromOpaque($0).takeRetainedValue().close() }
    )
  )
}

/// The peer `opqueue` of several threads: an `OperationQueue` of a given width.
final class OperationPool: Sendable {
  private let queue = OperationQueue()

  init(width: Int32) {
    queue.maxConcurrentOperationCount = Int(width)
    queue.qualityOfService = .userInitiated
  }

  func add(
    _ function: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
    _ context: UnsafeMutableRawPointer?,
    _ urgency: Int32
  ) {
    nonisolated(unsafe) let context = context
    let operation = BlockOperation {
      // Another peer may have placed the thread.
      cl_thread_place(-1)
      function(context)
    }
    if urgency != 0 { operation.queuePriority = urgency > 0 ? .veryHigh : .veryLow }
    queue.addOperation(operation)
  }

  func cancel(_ count: UInt32) -> UInt64 {
    queue.isSuspended = true
    let operations = (0..<count).map { _ in BlockOperation {} }
    for operation in operations { queue.addOperation(operation) }
    let began = cl_now()
    for operation in operations { operation.cancel() }
    let nanoseconds = cl_now() - began
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    return nanoseconds
  }

  func close() { queue.waitUntilAllOperationsAreFinished() }
}

/// Describes the peer `opqueue` of `pool` and `priority`. The number is that of the
/// agreement with `loopbench`, which looks the function up by name.
@_cdecl("loopbench_oppool_1")
public func describeOperationPool(_ functions: UnsafeMutablePointer<cl_pool_functions>) {
  functions.initialize(
    to: cl_pool_functions(
      open: { Unmanaged.passRetained(OperationPool(width: $0)).toOpaque() },
      add: { Unmanaged<OperationPool>.fromOpaque($0).takeUnretainedValue().add($1, $2, $3) },
      cancel: { Unmanaged<OperationPool>.fromOpaque($0).takeUnretainedValue().cancel($1) },
      close: { Unmanaged<OperationPool>.fromOpaque($0).takeRetainedValue().close() }
    )
  )
}
