import CUV

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Runs `body` on another thread and waits for it.
func elsewhere(_ body: () -> Void) {
  withoutActuallyEscaping(body) { body in Thread { body() }.join() }
}

/// Runs `body` on `count` other threads at the same time, passing each its
/// number, and waits for all of them.
func everywhere(_ count: Int, _ body: (Int) -> Void) {
  withoutActuallyEscaping(body) { body in
    let threads = (0..<count).map { number in Thread { body(number) } }
    for thread in threads { thread.join() }
  }
}

/// A thread whose start and end are visible to ThreadSanitizer.
struct Thread {
  private final class Start {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
  }

  #if canImport(Darwin)
    private var thread: pthread_t?
  #else
    private var thread = pthread_t()
  #endif

  /// Starts a thread that runs `body`. Call `join()` later.
  init(_ body: @escaping () -> Void) {
    let start = Unmanaged.passRetained(Start(body)).toOpaque()
    let result = lt_thread_create(&thread, nil, { Thread.run($0) }, start)
    precondition(result == 0, "Thread: pthread_create failed: \(result)")
  }

  private static func run(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let start { Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body() }
    return nil
  }

  /// Waits for the thread to end.
  func join() {
    #if canImport(Darwin)
      if let thread { pthread_join(thread, nil) }
    #else
      pthread_join(thread, nil)
    #endif
  }
}

/// Identifies a thread.
struct ThreadNumber: Hashable, Sendable {
  private let bits: UInt

  /// The caller's thread.
  static var current: ThreadNumber {
    #if canImport(Darwin)
      ThreadNumber(bits: UInt(bitPattern: pthread_self()))
    #else
      ThreadNumber(bits: UInt(pthread_self()))
    #endif
  }
}
