public import CUV
private import Synchronization

/// Returns an address that identifies the calling thread while it exists.
///
/// One volatile read of the thread register, which takes less than a
/// nanosecond.
@inlinable
func threadIdentity() -> UInt { UInt(lt_thread_identity()) }

/// Functions of the system that libuv does not offer in this form.
package enum System {
  /// An address that identifies the calling thread while it exists.
  package static var thread: UInt { threadIdentity() }

  /// The calling thread's number, as the kernel knows it. Costs a system call.
  static var threadNumber: UInt32 { lt_thread_number() }

  /// The calling thread's name and number, as a debugger shows them. Costs two
  /// system calls.
  package static var threadName: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
      guard let start = text.baseAddress else { return "" }
      lt_thread_describe(start, text.count)
      return String(cString: start)
    }
  }

  /// Whether the calling thread is the process's first thread. Costs one
  /// comparison, once the first thread has called it.
  package static var isMainThread: Bool {
    // Relaxed: the address orders no other memory, and does not change once
    // set. A forked child asks the system, because its first thread is the
    // thread that forked.
    let own = threadIdentity()
    if mainThread.load(ordering: .relaxed) == own { return true }
    guard lt_is_main_thread() != 0 else { return false }
    mainThread.store(own, ordering: .relaxed)
    return true
  }

  private static let mainThread = Atomic<UInt>(0)

  /// Throws unless Dispatch has the descriptors that it needs to serve the main
  /// queue, a first source and a first timer. It would trap later.
  package static func checkDispatch(_ operation: String) throws(UVError) {
    try check(lt_dispatch_probe(), operation)
  }

  /// Identifies the task that the calling thread runs. Nil outside of a task.
  static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  /// Whether the process has made a virtual clock, for tests.
  static var hasVirtualTime: Bool { virtualTime.load(ordering: .relaxed) }

  static func noteVirtualTime() { virtualTime.store(true, ordering: .relaxed) }

  // Relaxed: an operation that a test starts after it has made the clock sees it.
  private static let virtualTime = Atomic<Bool>(false)

  /// The monotonic clock, in nanoseconds. A call costs about 26 ns.
  package static var nanoseconds: UInt64 { uv_hrtime() }

  /// A CPU counter of constant rate, or 0 if the CPU has none.
  static var cycles: UInt64 { lt_cycles() }

  /// The number of cycles in 4 to 10 us, depending on the CPU.
  static var fewMicroseconds: UInt64 { lt_few_microseconds() }

  /// Tells the CPU that this thread is spinning.
  static func pause() { lt_pause() }

  /// Prefetches the cache line at `address` for writing. The address need not
  /// be valid.
  static func prefetchForWriting(_ address: UnsafeRawPointer) { lt_prefetch_for_writing(address) }

  /// Prefetches the cache line at `address` for writing. The address may be 0.
  static func prefetchForWriting(_ address: UInt) {
    lt_prefetch_for_writing(UnsafeRawPointer(bitPattern: address))
  }

  /// Returns the pages of `memory` to the system. They stay mapped, and are 0
  /// when they are next read.
  static func discard(_ memory: DiscardableMemory) { lt_discard(memory.address, memory.size) }

  package static func yield() { lt_yield() }

  /// Blocks while `word` equals `expected`, for at most a millisecond.
  static func wait(on word: UnsafeMutableRawPointer, while expected: UInt32) {
    lt_word_wait(word, expected)
  }

  /// Wakes one thread that is blocked on `word`.
  static func wakeOne(on word: UnsafeMutableRawPointer) { lt_word_wake(word) }

  /// Returns the first bytes of a file, or nil if it cannot be read.
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

  /// Replaces the contents of the file at `path`. Returns 0, or a negated errno.
  static func write(_ text: String, toFile path: String) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      path.withWholeCString { lt_write_file($0, bytes.baseAddress, bytes.count) }
    }
  }

  /// Runs a program that is searched in `PATH`, without its input, and returns its
  /// output. Returns nil if it does not start, fails, writes over a megabyte, or
  /// runs for `milliseconds`.
  static func output(of words: [String], within milliseconds: Int32 = 30_000) -> String? {
    let size = 1 << 20
    let arguments = words.map { lt_string_copy($0) }
    defer { arguments.forEach { lt_string_free($0) } }
    var length = -1
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      buffer.withMemoryRebound(to: CChar.self) { text in
        length = lt_helper_run(arguments + [nil], text.baseAddress, text.count, milliseconds)
      }
      count = max(length, 0)
    }
    return length < 0 ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// The value of an environment variable, or nil if it is not set or empty.
  static func environment(_ name: String) -> String? {
    guard let value = lt_environment(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// Calls `body` when the process exits.
  static func atExit(_ body: @convention(c) () -> Void) { _ = lt_at_exit(body) }

  /// The number of this process.
  static var processNumber: Int { Int(uv_os_getpid()) }

  /// Writes `message` and a newline to standard error.
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

extension String {
  /// Calls `body` with the string as C reads it. Returns `EINVAL`, as libuv's
  /// error, if the string has a zero byte: C would take the bytes before it.
  package func withWholeCString(_ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
    utf8.contains(0) ? UV_EINVAL.rawValue : withCString(body)
  }

  /// The string with an escape such as `\u001b` in place of every control
  /// character except `kept`, so that a name from elsewhere cannot control the
  /// terminal, and two names still differ.
  package func escapingControls(except kept: Unicode.Scalar? = nil) -> String {
    func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
      scalar != kept && scalar.properties.generalCategory == .control
    }
    guard unicodeScalars.contains(where: isEscaped) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      guard isEscaped(scalar) else { return text.unicodeScalars.append(scalar) }
      let digits = String(scalar.value, radix: 16)
      text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  /// Throws `EINVAL` if the string has a zero byte.
  func checkWhole(_ operation: String) throws(UVError) {
    try check(withWholeCString { _ in 0 }, "\(operation) ('\(self)' has a zero byte; remove it)")
  }
}

/// Whole pages of memory that are not in use.
struct DiscardableMemory: @unchecked Sendable {
  // @unchecked: only addresses, which the owner of the memory uses.

  let address: UnsafeMutableRawPointer
  let size: Int

  init(_ address: UnsafeMutableRawPointer, _ size: Int) {
    self.address = address
    self.size = size
  }
}

/// Traps with `message` unless `condition` is true, in release builds too.
///
/// The standard library's `precondition` drops its message under `-O`.
@inlinable
package func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if _fastPath(condition) { return }
  trap(message())
}

/// Traps with `message`.
@usableFromInline
@inline(never)
func trap(_ message: String) -> Never { fatalError(message) }
