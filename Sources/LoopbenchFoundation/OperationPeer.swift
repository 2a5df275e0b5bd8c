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
