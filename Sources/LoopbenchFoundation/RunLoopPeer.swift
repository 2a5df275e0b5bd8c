public import CLoopbench
import CoreFoundation
import Foundation

/// The peer `runloop`: the `RunLoop` of the thread that opened it.
final class RunLoopPeer: @unchecked Sendable {
  // @unchecked: performing a block, waking and stopping are for any thread; the
  // timer is touched on the loop's.
  private let loop: CFRunLoop
  /// Never fires: a loop with nothing to wait for does not run.
  private let keeper = Timer(timeInterval: 1e9, repeats: true) { _ in }

  init?() {
    guard let loop = CFRunLoopGetCurrent() else { return nil }
    self.loop = loop
    RunLoop.current.add(keeper, forMode: .default)
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

  func close() { keeper.invalidate() }
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
