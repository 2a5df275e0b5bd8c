public import CLoopbench
import CoreFoundation
import Foundation

/// The peer `opqueue`: an `OperationQueue` of a given width.
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
      // Every operation places its thread, because another peer may have placed
      // that thread on a CPU.
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

/// Fills in the functions of the peer `opqueue`.
///
/// `loopbench` looks this function up by name. The number in its name is the
/// version of `cl_pool_functions`.
@_cdecl("loopbench_oppool_3")
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

/// The peer `runloop`: the `RunLoop` of the thread that opened it.
final class RunLoopPeer: @unchecked Sendable {
  // @unchecked: any thread may perform a block and wake the loop. The timer is
  // used on the loop's thread only.
  private let loop: CFRunLoop
  /// A timer that never fires. It keeps the loop running: a run loop without
  /// sources or timers returns immediately. A `Timer` would leak.
  private let keeper: CFRunLoopTimer

  init?() {
    let never = CFAbsoluteTimeGetCurrent() + 1e9
    guard
      let loop = CFRunLoopGetCurrent(),
      let keeper = CFRunLoopTimerCreate(kCFAllocatorDefault, never, 1e9, 0, 0, { _, _ in }, nil)
    else { return nil }
    (self.loop, self.keeper) = (loop, keeper)
    CFRunLoopAddTimer(loop, keeper, kCFRunLoopDefaultMode)
  }

  func post(
    _ function: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
    _ context: UnsafeMutableRawPointer?
  ) {
    CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode) { function(context) }
    CFRunLoopWakeUp(loop)
  }

  func run() { CFRunLoopRun() }

  /// Stops the loop from a block that the loop runs, because stopping a loop that
  /// is not running yet has no effect.
  func stop() {
    CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode) { CFRunLoopStop(CFRunLoopGetCurrent()) }
    CFRunLoopWakeUp(loop)
  }

  func close() { CFRunLoopTimerInvalidate(keeper) }
}

/// Fills in the functions of the peer `runloop`.
///
/// `loopbench` looks this function up by name. The number in its name is the
/// version of `cl_queue_functions`.
@_cdecl("loopbench_runloop_2")
public func describeRunLoopPeer(_ functions: UnsafeMutablePointer<cl_queue_functions>) {
  functions.initialize(
    to: cl_queue_functions(
      open: { RunLoopPeer().map { Unmanaged.passRetained($0).toOpaque() } },
      post: { Unmanaged<RunLoopPeer>.fromOpaque($0).takeUnretainedValue().post($1, $2) },
      run: { Unmanaged<RunLoopPeer>.fromOpaque($0).takeUnretainedValue().run() },
      stop: { Unmanaged<RunLoopPeer>.fromOpaque($0).takeUnretainedValue().stop() },
      close: { Unmanaged<RunLoopPeer>.fromOpaque($0).takeRetainedValue().close() }
    )
  )
}
