import CoreFoundation
import Foundation
internal import HostCases
package import LoopTransactions

/// Foundation's main run loop, which also serves Dispatch's main queue.
package final class MainRunLoop: TestedHost {
  package private(set) var iterations = 0
  package nonisolated let call: @Sendable (@escaping @Sendable () -> Void) -> Void = { body in
    DispatchQueue.main.async(execute: body)
  }

  private let adapter: (EventLoop) throws -> @MainActor () -> Void

  /// - Parameter adapter: Makes this host run a loop. Returns a function that stops
  ///   running the loop.
  package init(_ adapter: @escaping (EventLoop) throws -> @MainActor () -> Void) {
    self.adapter = adapter
    var context = CFRunLoopObserverContext()
    context.info = Unmanaged.passUnretained(self).toOpaque()
    // kCFRunLoopBeforeWaiting
    let observer = CFRunLoopObserverCreate(nil, 32, true, 0, waits, &context)
    CFRunLoopAddObserver(CFRunLoopGetMain(), observer, kCFRunLoopCommonModes)
  }

  package func after(_ milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
    let due = CFAbsoluteTimeGetCurrent() + Double(milliseconds) / 1000
    let timer = CFRunLoopTimerCreateWithHandler(nil, due, 0, 0, 0) { _ in body() }
    CFRunLoopAddTimer(CFRunLoopGetMain(), timer, kCFRunLoopCommonModes)
  }

  fileprivate func willWait() { iterations += 1 }

  // Uses `RunLoop` rather than Core Foundation, as most programs do.
  package func run() {
    isRunning = true
    while isRunning { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
  }

  package func pollOnce() { _ = RunLoop.main.run(mode: .default, before: .distantPast) }

  // A timer that fires does not end a run of a mode. A run of a mode without a source or
  // timer ends immediately, so this adds a timer that is due later.
  package func runAnew(_ milliseconds: Int) {
    after(2 * milliseconds) {}
    RunLoop.main.run(until: Date(timeIntervalSinceNow: Double(milliseconds) / 1000))
  }

  package func stop() { isRunning = false }

  private var isRunning = false

  package func serve(_ loop: EventLoop) throws -> @MainActor () -> Void { try adapter(loop) }
}

private func waits(
  _ observer: CFRunLoopObserver?,
  _ activity: CFRunLoopActivity,
  _ context: UnsafeMutableRawPointer?
) {
  guard let context else { return }
  let host = Unmanaged<MainRunLoop>.fromOpaque(context)
  MainActor.assumeIsolated { host.takeUnretainedValue().willWait() }
}
