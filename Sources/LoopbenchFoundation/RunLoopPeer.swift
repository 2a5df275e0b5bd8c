public import CLoopbench
import CoreFoundation
import Foundation

/// The peer `runloop`: the `RunLoop` of the thread that opened it.
final class RunLoopPeer: @unchecked Sendable {
  // @unchecked: performing a block, waking and stopping are for any thread; the
  // timer is touched on the loop's.
  private let loop: CFRunLoop
  /// Never fires: a loop with nothing to wait for does not run. Not a `Timer`,
  /// which leaks.
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

  /// In a block: stopping a loop that does not run yet would be forgotten.
  func stop() {
    CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode) { CFRunLoopStop(CFRunLoopGetCurrent()) }
    CFRunLoopWakeUp(loop)
  }

  func close() { CFRunLoopTimerInvalidate(keeper) }
}

/// Describes the peer `runloop`. The number is that of the agreement with
/// `loopbench`, which looks the function up by name.
@_cdecl("loopbench_runloop_1")
public func describeRunLoopPeer(_ functions: UnsafeMutablePointer<cl_queue_functions>) {
  functions.initialize(
    to: cl_queue_functions(
      open: { _ in RunLoopPeer().map { Unmanaged.passRetained($0).toOpaque() } },
      post: { Unmanaged<RunLoopPeer>.fromOpaque($0).takeUnretainedValue().post($1, $2) },
      run: { Unmanaged<RunLoopPeer>.fromOpaque($0).takeUnretainedValue().run() },
      stop: { Unmanaged<RunLoopPeer>.fromOpaque($0).takeUnretainedValue().stop() },
      close: { Unmanaged<RunLoopPeer>.fromOpaque($0).takeRetainedValue().close() }
    )
  )
}
