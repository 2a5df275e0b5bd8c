/// A system call that a thread is in, as `/proc/TID/syscall` shows it.
package struct SystemCall: Equatable, Sendable {
  package var name: String
  package var arguments: [UInt64]
  /// The stack pointer and the program counter, if they are known.
  package var registers: [UInt64] = []

  package init(name: String, arguments: [UInt64]) {
    (self.name, self.arguments) = (name, arguments)
  }

  /// Parses a line of the call's number and its arguments in hexadecimal digits. Nil
  /// for a thread that is in no call.
  package init?(line: some Sequence<UInt8>, name: (Int) -> String?) {
    guard let values = Self.numbers(line), let first = values.first else { return nil }
    let number = Int(truncatingIfNeeded: first)
    let arguments = Array(values[1...].prefix(6))
    self.init(name: name(number) ?? "system call \(number)", arguments: arguments)
    registers = Array(values.dropFirst(7))
  }

  /// The numbers of a line such as `232 0x5 0x7ffc`; nil if it has a word or `-1`.
  private static func numbers(_ line: some Sequence<UInt8>) -> [UInt64]? {
    var numbers: [UInt64] = []
    numbers.reserveCapacity(9)
    var (number, radix) = (UInt64?.none, UInt64(10))
    func take(_ digit: UInt8) { number = (number ?? 0) &* radix &+ UInt64(digit) }
    for byte in line {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): take(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "x"): radix = 16
      case UInt8(ascii: "a")...UInt8(ascii: "f") where radix == 16:
        take(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: " "), UInt8(ascii: "\n"):
        if let number { numbers.append(number) }
        (number, radix) = (nil, 10)
      default: return nil
      }
    }
    if let number { numbers.append(number) }
    return numbers
  }

  /// The place of a wait for another thread; nil for other calls. A thread that waits at
  /// the same place again was called in the same way.
  package var lockPlace: [UInt64]? {
    guard name == "futex", let address = arguments.first, registers.count == 2 else { return nil }
    return [address] + registers
  }

  /// True for a wait for events.
  package var isWait: Bool {
    name.hasPrefix("epoll_") || Self.polls.contains(name)
      || name == "io_uring_enter" && isWaitForCompletions
  }

  private static let polls: Set<String> = ["poll", "ppoll", "select", "pselect6"]

  /// The third argument is the number of completions that io_uring waits for. Other calls
  /// submit only.
  private var isWaitForCompletions: Bool { arguments.count > 2 && arguments[2] > 0 }

  /// The source that a wait for events is for; nil for other calls.
  package func waitSource(returningTo address: UInt64) -> WaitSource? {
    guard isWait else { return nil }
    if name.hasPrefix("epoll"), let descriptor { return .epoll(descriptor: descriptor) }
    return .poll(site: UInt32(truncatingIfNeeded: address))
  }

  /// The number of the descriptor that the call works on; nil for other calls.
  package var descriptor: Int32? {
    guard Self.ofDescriptors.contains(name), let first = arguments.first else { return nil }
    return Int32(truncatingIfNeeded: first)
  }

  /// The address of the path that the call works on; nil for other calls.
  package var path: UInt64? {
    guard let index = Self.ofPaths[name], index < arguments.count else { return nil }
    return arguments[index]
  }

  private static let ofPaths = [
    "open": 0, "stat": 0, "lstat": 0, "access": 0, "unlink": 0, "mkdir": 0, "rename": 0,
    "execve": 0, "openat": 1, "newfstatat": 1, "statx": 1, "unlinkat": 1, "mkdirat": 1,
    "renameat2": 1,
  ]

  private static let ofDescriptors: Set<String> = [
    "read", "write", "pread64", "pwrite64", "readv", "writev", "close", "fsync", "fdatasync",
    "fstat", "getdents64", "ftruncate", "flock", "fcntl", "ioctl", "connect", "accept", "accept4",
    "sendto", "sendmsg", "sendmmsg", "recvfrom", "recvmsg", "recvmmsg", "shutdown", "epoll_wait",
    "epoll_pwait", "epoll_pwait2", "sendfile",
  ]
}

/// Looks up the words for a system call's arguments.
package struct CallSurroundings: Sendable {
  /// The target of a descriptor, such as `/var/log/app.log` or `socket:[123]`.
  package var target: @Sendable (Int32) -> String?
  /// The names of the thread's child processes.
  package var children: @Sendable () -> [String]
  /// The number of the descriptor at an address in the process.
  package var descriptor: @Sendable (UInt64) -> Int32?
  /// The text at an address in the process.
  package var text: @Sendable (UInt64) -> String?
  /// The address of a socket's peer. The second argument is the address in the process of
  /// the peer that a call connects to, or 0.
  package var peer: @Sendable (Int32, UInt64) -> String?

  package init(
    target: @escaping @Sendable (Int32) -> String?,
    children: @escaping @Sendable () -> [String],
    descriptor: @escaping @Sendable (UInt64) -> Int32? = { _ in nil },
    text: @escaping @Sendable (UInt64) -> String? = { _ in nil },
    peer: @escaping @Sendable (Int32, UInt64) -> String? = { _, _ in nil }
  ) {
    (self.target, self.children, self.descriptor) = (target, children, descriptor)
    (self.text, self.peer) = (text, peer)
  }
}

extension SystemCall {
  /// The reason for which a thread is blocked, in words: `read of /tmp/pipe`, `wait for sleep`.
  /// Nil if the call does not tell.
  package func words(_ surroundings: CallSurroundings) -> String? {
    switch name {
    // Continues a sleep or a wait with a timeout after a capture of the stack.
    case "restart_syscall": return nil
    case "wait4", "waitid": return "wait for " + Self.child(surroundings)
    case "futex": return "a lock or another thread"
    case "nanosleep", "clock_nanosleep": return "sleep"
    default: break
    }
    if isWait {
      let children = surroundings.children()
      guard children.isEmpty else { return "wait for " + Self.child(surroundings) }
      return polledWords(surroundings) ?? "wait in a nested loop"
    }
    if let path, let text = surroundings.text(path), !text.isEmpty { return "\(name) of \(text)" }
    guard let descriptor else { return name }
    return words(descriptor, surroundings) ?? name
  }

  private func words(_ descriptor: Int32, _ surroundings: CallSurroundings) -> String? {
    guard let target = surroundings.target(descriptor) else { return nil }
    guard target.hasPrefix("socket:") else { return "\(name) of \(Self.plain(target))" }
    let address = name == "connect" ? arguments.dropFirst().first ?? 0 : 0
    let peer = surroundings.peer(descriptor, address)
    return "\(name) of a socket" + (peer.map { " to \($0)" } ?? "")
  }

  /// The words for a poll of one socket, pipe or file, as a library makes it for a
  /// blocking call with a timeout. Nil for other waits.
  private func polledWords(_ surroundings: CallSurroundings) -> String? {
    guard
      name.hasSuffix("poll"), arguments.count > 1, arguments[1] == 1,
      let polled = surroundings.descriptor(arguments[0]),
      let target = surroundings.target(polled), !target.hasPrefix("anon_inode:")
    else { return nil }
    return words(polled, surroundings)
  }

  private static func child(_ surroundings: CallSurroundings) -> String {
    let names = surroundings.children()
    return names.isEmpty ? "a child" : "the child " + names.joined(separator: ", ")
  }

  private static func plain(_ target: String) -> String {
    target.hasPrefix("pipe:") ? "a pipe" : target
  }
}
