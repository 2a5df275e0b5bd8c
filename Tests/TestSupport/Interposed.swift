internal import CTestSupport
private import Foundation

/// Counts and intercepts the calling thread's calls to the C library.
///
/// Available on glibc, unless a sanitizer interposes the same calls.
package enum Interposed {
  /// True if calls are counted.
  package static var isAvailable: Bool { ct_is_interposed() }

  /// True if the standard library's generic code is optimised. Otherwise its
  /// iterators allocate.
  package static var isOptimized: Bool {
    #if DEBUG
      false
    #else
      true
    #endif
  }

  /// True if the tests were built with a sanitizer, which makes them slower.
  package static var isSanitized: Bool { ct_is_sanitized() }

  /// Returns the amount of work for a computing test, depending on the build.
  package static func amount<Amount>(
    _ optimized: Amount,
    debug: Amount,
    sanitized: Amount
  ) -> Amount {
    if isSanitized { return sanitized }
    return isOptimized ? optimized : debug
  }

  /// Returns the number of blocks that `body` allocates.
  package static func allocations<Failure>(
    in body: () throws(Failure) -> Void
  ) throws(Failure) -> Int {
    let before = ct_allocations()
    try body()
    return Int(ct_allocations() - before)
  }

  /// The number of blocks the calling thread has allocated.
  package static var allocations: Int { Int(ct_allocations()) }

  /// The number of times the calling thread has called write() or writev().
  package static var writes: Int { Int(ct_writes()) }

  /// The number of times the calling thread has called read().
  package static var reads: Int { Int(ct_reads()) }

  /// The number of times the calling thread has polled with epoll.
  package static var polls: Int { Int(ct_polls()) }

  /// The number of times the calling thread has called epoll_ctl().
  package static var pollChanges: Int { Int(ct_poll_changes()) }

  /// The number of times the calling thread has called clock_gettime().
  package static var clockReadings: Int { Int(ct_clock_readings()) }

  /// The absolute time, in nanoseconds, of the calling thread's last
  /// timerfd_settime().
  package static var deadline: UInt64 { ct_deadline() }

  /// The number of times the calling thread has called timerfd_settime().
  package static var deadlineChanges: Int { Int(ct_deadline_changes()) }

  /// A call to the C library that a test can intercept.
  package enum Call {
    case allocation, write, yield

    fileprivate var number: ct_call {
      switch self {
      case .allocation: ct_allocation
      case .write: ct_write
      case .yield: ct_yield_call
      }
    }
  }

  /// Runs `body`. Calls `hook` just before the calling thread's first `call` in
  /// it.
  package static func before(
    _ call: Call,
    _ hook: @escaping () -> Void,
    _ body: () throws -> Void
  ) rethrows {
    let context = Unmanaged.passRetained(OnceHook(body: hook))
    ct_before(call.number, callOnceHook, context.toOpaque())
    defer {
      ct_before(call.number, nil, nil)
      context.release()
    }
    try body()
  }

  /// Makes this process appear to be in a control group of version 2 with the
  /// given `cpu.max`, until it ends.
  package static func makeControlGroup(cpuMax: String) throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let files = ["proc/self/cgroup": "0::/work\n", "sys/fs/cgroup/work/cpu.max": cpuMax + "\n"]
    for (path, text) in files {
      let file = root.appendingPathComponent(path)
      let folder = file.deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    ct_find_control_groups(root.path)
  }

  /// Runs `body`. The system refuses the next `count` threads that the calling
  /// thread starts in it.
  package static func refusingThreads<Result>(
    _ count: Int,
    _ body: () throws -> Result
  ) rethrows -> Result {
    try refusing(count, by: ct_refuse_threads, body)
  }

  /// Runs `body`. The system refuses the next `count` attempts of the calling
  /// thread to start a process in it.
  package static func refusingProcesses<Result>(
    _ count: Int,
    _ body: () throws -> Result
  ) rethrows -> Result {
    try refusing(count, by: ct_refuse_processes, body)
  }

  /// Runs `body`. The kernel's poll refuses the next `count` descriptors that the
  /// calling thread adds to it in `body`, as it refuses regular files.
  package static func refusingWatches<Result>(
    _ count: Int,
    _ body: () throws -> Result
  ) rethrows -> Result {
    try refusing(count, by: ct_refuse_watches, body)
  }

  /// Runs `body`. A lookup of the host `held.test` by any thread ends when `body`
  /// has returned, with a failure.
  package static func holdingLookups<Result>(_ body: () throws -> Result) rethrows -> Result {
    ct_hold_lookups(true)
    defer { ct_hold_lookups(false) }
    return try body()
  }

  /// Runs `body`. Calls `refuse` with `count` before and with 0 afterwards.
  private static func refusing<Result>(
    _ count: Int,
    by refuse: (Int32) -> Void,
    _ body: () throws -> Result
  ) rethrows -> Result {
    refuse(Int32(clamping: count))
    defer { refuse(0) }
    return try body()
  }

  /// The number of bytes in allocated blocks.
  package static var heapBytes: Int { ct_heap_bytes() }

  /// Excludes this thread's later allocations from AddressSanitizer's leak
  /// check.
  package static func forgiveLeaks() { ct_forgive_leaks() }

  /// Runs `body`. Before each poll in it that may block, calls `hook` with the
  /// timeout in milliseconds; -1 means no timeout.
  package static func beforeBlocking(_ hook: @escaping (Int) -> Void, _ body: () throws -> Void)
    rethrows
  {
    let context = Unmanaged.passRetained(Hook(body: hook))
    ct_before_blocking(callHook, context.toOpaque())
    defer {
      ct_before_blocking(nil, nil)
      context.release()
    }
    try body()
  }
}

private final class Hook {
  let body: (Int) -> Void

  init(body: @escaping (Int) -> Void) { self.body = body }
}

private func callHook(_ context: UnsafeMutableRawPointer?, _ timeout: Int32) {
  guard let context else { return }
  Unmanaged<Hook>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.body(Int(timeout)) }
}

private final class OnceHook {
  let body: () -> Void

  init(body: @escaping () -> Void) { self.body = body }
}

private func callOnceHook(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<OnceHook>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.body() }
}
