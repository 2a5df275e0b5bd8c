import Dispatch
import HostCases
import LoopTransactions
import LoopTransactionsDispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// A host that serves only the main queue, on the first thread. A toolkit that uses
// Dispatch without Core Foundation would do the same.
final class MainQueue: TestedHost {
  private typealias Handle = @convention(c) () -> Int32
  private typealias Drain = @convention(c) (UnsafeMutableRawPointer?) -> Void

  private(set) var iterations = 0
  private var isRunning = false
  nonisolated let call: @Sendable (@escaping @Sendable () -> Void) -> Void = { body in
    DispatchQueue.main.async(execute: body)
  }

  func after(_ milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: body)
  }

  // Drains the queue in a separate loop, because Dispatch cannot end a recursive
  // drain.
  func runAnew(_ milliseconds: Int) {
    for _ in 0..<milliseconds {
      usleep(1000)
      drain(nil)
    }
  }

  private var drain: Drain {
    guard let drain = dlsym(nil, "_dispatch_main_queue_callback_4CF") else {
      fatalError("dlsym found no _dispatch_main_queue_callback_4CF")
    }
    return unsafeBitCast(drain, to: Drain.self)
  }

  private let descriptor: Int32

  init() {
    guard let handle = dlsym(nil, "_dispatch_get_main_queue_handle_4CF") else {
      fatalError("dlsym found no _dispatch_get_main_queue_handle_4CF")
    }
    descriptor = unsafeBitCast(handle, to: Handle.self)()
  }

  func run() {
    isRunning = true
    while isRunning { look(atMost: -1) }
  }

  func pollOnce() { look(atMost: 0) }

  private func look(atMost milliseconds: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let isReadable = poll(&entry, 1, milliseconds) > 0
    iterations += 1
    guard isReadable else { return }
    var count: UInt64 = 0
    read(descriptor, &count, 8)
    drain(nil)
  }

  func stop() { isRunning = false }

  func serve(_ loop: EventLoop) throws -> @MainActor () -> Void {
    let host = try DispatchHost(loop)
    return { host.cancel() }
  }
}

try runCase(on: MainQueue())
