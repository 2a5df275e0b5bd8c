internal import CTestSupport
private import Foundation

/// What the calling thread asks of the C library, counted or watched.
///
/// Possible on glibc, unless a sanitizer watches already.
package enum Interposed {
  /// Whether anything is counted at all.
  package static var isAvailable: Bool { ct_is_interposed() }

  /// Whether the standard library's own generic code was optimised: where it was
  /// not, its iterators allocate.
  package static var isOptimized: Bool {
    #if DEBUG
      false
    #else
      true
    #endif
  }

  /// Whether a sanitizer slows everything down.
  package static var isSanitized: Bool { ct_is_sanitized() }

  /// How much a test that only computes does: all of it where code is fast.
  package static func amount<Amount>(
    _ optimized: Amount,
    debug: Amount,
    sanitized: Amount
  ) -> Amount {
    if isSanitized { return sanitized }
    return isOptimized ? optimized : debug
  }

  /// How many blocks of memory `body` allocates.
  package static func allocations<Failure>(
    in body: () throws(Failure) -> Void
  ) throws(Failure) -> Int {
    let before = ct_allocations()
    try body()
    return Int(ct_allocations() - before)
  }

  /// How many blocks of memory the calling thread has allocated.
  package static var allocations: Int { Int(ct_allocations()) }

  /// How often the calling thread has written to a descriptor.
  package static var writes: Int { Int(ct_writes()) }

  /// How often the calling thread has read from a descriptor.
  package static var reads: Int { Int(ct_reads()) }

  /// The absolute time, in nanoseconds, that the calling thread last set a
  /// deadline of the kernel's to.
  package static var deadline: UInt64 { ct_deadline() }

  /// A call to the C library that a test can step in before.
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

  /// Runs `body`; just before the calling thread's first `call` in it, calls `hook`.
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

  /// Has this process see itself in a control group of version 2, whose `cpu.max` says
  /// `cpuMax`, for the rest of its life.
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

  /// Bytes that are allocated and not freed.
  package static var heapBytes: Int { ct_heap_bytes() }

  /// Keeps AddressSanitizer from reporting what this thread allocates from now
  /// on and never frees.
  package static func forgiveLeaks() { ct_forgive_leaks() }

  /// Runs `body`, and before each poll in it that may block calls `hook` with
  /// its timeout in milliseconds, -1 for none.
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
