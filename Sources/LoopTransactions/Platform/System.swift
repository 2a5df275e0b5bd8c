public import CUV
private import Synchronization

/// An address that names the calling thread while it lives.
///
/// Under a nanosecond: one volatile read of the thread register.
@inlinable
@inline(__always)
func threadIdentity() -> UInt { UInt(lt_thread_identity()) }

/// What the system offers beside libuv.
package enum System {
  /// An address that names the calling thread while it lives.
  package static var thread: UInt { threadIdentity() }

  /// The calling thread's name and number, as a debugger shows them. Two system calls.
  package static var threadName: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
      guard let start = text.baseAddress else { return "" }
      lt_thread_describe(start, text.count)
      return String(cString: start)
    }
  }

  /// Whether the caller is the thread that the process began with. A comparison, once
  /// that thread has asked.
  package static var isMainThread: Bool {
    // Relaxed: the address says nothing of other memory, and never changes once set. A
    // child process has the thread that forked as its first: then the system says so.
    let own = threadIdentity()
    if mainThread.load(ordering: .relaxed) == own { return true }
    guard lt_is_main_thread() != 0 else { return false }
    mainThread.store(own, ordering: .relaxed)
    return true
  }

  private static let mainThread = Atomic<UInt>(0)

  /// The monotonic clock, in nanoseconds. About 26 ns a call.
  package static var nanoseconds: UInt64 { uv_hrtime() }

  /// A processor counter of constant rate; 0 where there is none.
  static var cycles: UInt64 { lt_cycles() }

  /// How far `cycles` may get before the clock is read again.
  static var cyclesPerReading: UInt64 { lt_cycles_per_reading() }

  /// Tells the processor that this thread only waits for another.
  static func pause() { lt_pause() }

  /// Fetches the cache line at `address`, which will be written to. The address
  /// need not be valid.
  @inline(__always)
  static func prefetchForWriting(_ address: UnsafeRawPointer) { lt_prefetch_for_writing(address) }

  /// As above, of the line at an address that may be none.
  @inline(__always)
  static func prefetchForWriting(_ address: UInt) {
    lt_prefetch_for_writing(UnsafeRawPointer(bitPattern: address))
  }

  /// Lets another thread have the processor.
  static func yield() { lt_yield() }

  /// Sleeps while `word` holds `expected`, for a millisecond at most.
  static func wait(on word: UnsafeMutableRawPointer, while expected: UInt32) {
    lt_word_wait(word, expected)
  }

  /// Wakes one thread that sleeps on `word`.
  static func wakeOne(on word: UnsafeMutableRawPointer) { lt_word_wake(word) }

  /// The first bytes of a file; nil where it can not be read.
  static func bytes(ofFile path: String, atMost size: Int) -> [UInt8]? {
    var length = -1
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      buffer.withMemoryRebound(to: CChar.self) { characters in
        length = lt_read_file(path, characters.baseAddress, characters.count)
      }
      count = max(length, 0)
    }
    return length < 0 ? nil : bytes
  }

  /// Writes `message` and a line end to standard error.
  package static func logToStandardError(_ message: String) {
    var text = message + "\n"
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        guard let start = characters.baseAddress else { return }
        lt_write_to_stderr(start, characters.count)
      }
    }
  }
}

/// Traps with `message`, in release builds too, unless `condition` holds.
///
/// The standard library's `precondition` drops its message under `-O`.
@inlinable
@inline(__always)
package func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if _fastPath(condition) { return }
  trap(message())
}

/// Ends the process with `message`.
@usableFromInline
@inline(never)
func trap(_ message: String) -> Never { fatalError(message) }
