import CUV

/// Reads the state of another thread of this process. Linux only; elsewhere the
/// system tells nothing.
enum ThreadState {
  /// The state of a thread that uses no CPU at the moment.
  enum Waiting: Hashable {
    /// Runnable: it waits for a CPU, or has one again.
    case forCPU
    /// Blocked in a system call, whose name is given, or in a page fault.
    case blocked(String)
    /// The thread has ended, or the system does not tell.
    case unknown
  }

  /// The CPU time of a thread, in nanoseconds. 0 if it has ended.
  static func cpuTime(of thread: UInt32) -> UInt64 { lt_thread_cpu_time(thread) }

  /// The time that a thread was runnable without a CPU, in nanoseconds, and how
  /// often it got one. A delay counts when it has ended. 0 if the thread has ended.
  static func scheduling(of thread: UInt32) -> (delay: UInt64, runs: UInt64) {
    let line = String(decoding: file("schedstat", of: thread) ?? [], as: UTF8.self)
    let numbers = line.split { $0 == " " || $0 == "\n" }.map { UInt64($0) ?? 0 }
    return numbers.count > 2 ? (numbers[1], numbers[2]) : (0, 0)
  }

  /// The name of a thread, as debuggers show it. Empty if it has ended.
  static func name(of thread: UInt32) -> String {
    let bytes = file("comm", of: thread)?.prefix { $0 != UInt8(ascii: "\n") } ?? []
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The reason why a thread uses no CPU.
  static func waiting(of thread: UInt32) -> Waiting {
    guard let stat = file("stat", of: thread), let state = state(in: stat) else { return .unknown }
    if state == UInt8(ascii: "R") { return .forCPU }
    guard let call = file("syscall", of: thread).map({ String(decoding: $0, as: UTF8.self) }) else {
      return .blocked("")
    }
    return waiting(call)
  }

  /// The reason that a line of `/proc/self/task/TID/syscall` tells.
  static func waiting(_ line: String) -> Waiting {
    let word = line.prefix { $0 != " " && $0 != "\n" }
    if word == "running" { return .forCPU }
    guard let number = Int(word) else { return .blocked("") }
    if number < 0 { return .blocked("page fault") }
    guard let name = lt_system_call_name(number) else { return .blocked("system call \(number)") }
    return .blocked(String(cString: name))
  }

  /// Whether a thread runs, or waits for a CPU, and does not block `signal`.
  static func isRunning(_ thread: UInt32, accepting signal: Int32) -> Bool {
    guard let status = file("status", of: thread, atMost: 4096),
      isRunning(String(decoding: status, as: UTF8.self), accepting: signal),
      let call = file("syscall", of: thread)
    else { return false }
    return call.starts(with: "running".utf8)
  }

  /// Whether `/proc/self/task/TID/status` tells that a thread runs, and does not
  /// block `signal`.
  static func isRunning(_ status: String, accepting signal: Int32) -> Bool {
    func value(_ name: String) -> Substring? {
      status.split(separator: "\n").first { $0.hasPrefix(name) }?.dropFirst(name.count)
    }
    guard value("State:\t")?.first == "R",
      let blocked = value("SigBlk:\t").flatMap({ UInt64($0, radix: 16) })
    else { return false }
    return (1...64).contains(signal) && blocked & 1 << UInt64(signal - 1) == 0
  }

  /// The letter of the state in `/proc/self/task/TID/stat`. The name before it
  /// may contain parentheses and spaces.
  static func state(in stat: [UInt8]) -> UInt8? {
    guard let end = stat.lastIndex(of: UInt8(ascii: ")")), end + 2 < stat.count else { return nil }
    return stat[end + 2]
  }

  private static func file(
    _ name: String,
    of thread: UInt32,
    atMost size: Int = 512
  ) -> [UInt8]? {
    System.bytes(ofFile: "/proc/self/task/\(thread)/\(name)", atMost: size)
  }
}

/// A thread-local address, initially nil.
struct ThreadSlot: @unchecked Sendable {
  // @unchecked: the key is created once and does not change afterwards.
  private let key = UnsafeMutablePointer<uv_key_t>.allocate(capacity: 1)

  /// Creates the slot, which is never freed.
  init() {
    guard uv_key_create(key) == 0 else {
      fatalError("ThreadSlot: uv_key_create failed; the process is out of thread-local keys")
    }
  }

  /// Creates the slot, which is never freed. An address that is not nil is passed
  /// to `release` when its thread ends.
  init(_ release: @convention(c) (UnsafeMutableRawPointer?) -> Void) {
    guard lt_key_create(key, release) == 0 else {
      fatalError("ThreadSlot: pthread_key_create failed; the process is out of thread-local keys")
    }
  }

  /// The calling thread's address.
  var address: UnsafeMutableRawPointer? {
    get { lt_key_get(key) }
    nonmutating set { uv_key_set(key, newValue) }
  }
}
