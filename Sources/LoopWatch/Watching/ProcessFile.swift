internal import CLoopWatch

/// A file of `/proc` that is read again and again.
///
/// Call from any thread.
package final class ProcessFile: Sendable {
  private let file: Int32

  /// Opens the file; nil if it does not exist or may not be read.
  package init?(_ path: String) {
    file = lw_open(path)
    guard file >= 0 else { return nil }
  }

  deinit { lw_close(file) }

  /// The first 4,096 bytes of the file; nil if its process or thread has ended.
  package func text() -> String? { withBytes { String(decoding: $0, as: UTF8.self) } }

  /// The first `limit` decimal numbers in the file, much faster than from its text.
  package func numbers(_ limit: Int) -> [UInt64]? {
    withBytes { Self.numbers($0, limit) }
  }

  /// The first `limit` decimal numbers in `bytes`, without their signs.
  package static func numbers(_ bytes: UnsafeRawBufferPointer, _ limit: Int) -> [UInt64] {
    var numbers: [UInt64] = []
    var number: UInt64?
    for byte in bytes where numbers.count < limit {
      let digit = byte &- 0x30
      if digit < 10 {
        number = (number ?? 0) &* 10 &+ UInt64(digit)
      } else if let ended = number {
        numbers.append(ended)
        number = nil
      }
    }
    if let number, numbers.count < limit { numbers.append(number) }
    return numbers
  }

  /// Calls `body` with the first 4,096 bytes, which is faster than their text.
  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { bytes in
      let count = lw_read_at(file, bytes.baseAddress, bytes.count, 0)
      guard count >= 0 else { return nil }
      return body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count]))
    }
  }

  /// The text from `offset` on that ends at a zero byte, at most 4,096 bytes.
  package func text(at offset: UInt64) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { bytes in
      let count = lw_read_at(file, bytes.baseAddress, bytes.count, offset)
      guard count > 0 else { return nil }
      return Self.string(bytes[..<(bytes[..<count].firstIndex(of: 0) ?? count)])
    }
  }

  /// The bytes from `offset` on, at most `limit`.
  package func bytes(from offset: Int, atMost limit: Int = 1 << 20) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: limit) { bytes, count in
      let read = bytes.withMemoryRebound(to: CChar.self) {
        lw_read_at(file, $0.baseAddress, $0.count, UInt64(offset))
      }
      count = max(read, 0)
    }
  }

  /// The bytes of a file that is read once.
  package var allBytes: [UInt8] {
    var all: [UInt8] = []
    while case let bytes = bytes(from: all.count, atMost: 1 << 16), !bytes.isEmpty { all += bytes }
    return all
  }

  private static func string(_ bytes: Swift.Slice<UnsafeMutableBufferPointer<CChar>>) -> String {
    String(decoding: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes)), as: UTF8.self)
  }

  /// Reads a whole small file once.
  package static func text(_ path: String) -> String? { ProcessFile(path)?.text() }

  /// The first line of a file.
  package static func line(_ path: String) -> String? {
    text(path).map { String($0.prefix { $0 != "\n" }) }
  }

  /// Calls `body` with the name in a `stat` file and with the fields after the name, the
  /// first of which is the state. Nil if the process or thread has ended.
  package func withStat<Result>(
    _ body: (_ name: UnsafeRawBufferPointer, _ fields: UnsafeRawBufferPointer) -> Result
  ) -> Result? {
    withBytes { bytes in
      // The name may contain any character.
      guard let start = bytes.firstIndex(of: UInt8(ascii: "(")),
        let end = bytes.lastIndex(of: UInt8(ascii: ")")), start < end, end + 2 < bytes.count
      else { return nil }
      let name = UnsafeRawBufferPointer(rebasing: bytes[(start + 1)..<end])
      return body(name, UnsafeRawBufferPointer(rebasing: bytes[(end + 2)...]))
    } ?? nil
  }

  /// The state in a `stat` file, such as `R`; nil if the process or thread has ended.
  package func state() -> Character? {
    withStat { _, fields in Character(Unicode.Scalar(fields[0])) }
  }

  /// True if a process has ended, also if its parent has not noticed that yet.
  package static func hasEnded(_ process: Int32) -> Bool {
    guard let state = ProcessFile("/proc/\(process)/stat")?.state() else { return true }
    // The first thread may end before the others.
    return state == "Z" && names(in: "/proc/\(process)/task").count <= 1
  }

  /// The epoll descriptors of a process.
  package static func epolls(of process: Int32) -> [Int32] {
    names(in: "/proc/\(process)/fd").compactMap { Int32($0) }
      .filter { isEpoll($0, of: process) }
  }

  /// True for an open epoll descriptor of a process.
  package static func isEpoll(_ descriptor: Int32, of process: Int32) -> Bool {
    link("/proc/\(process)/fd/\(descriptor)") == "anon_inode:[eventpoll]"
  }

  /// The target of a symbolic link.
  package static func link(_ path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { bytes in
      let count = lw_read_link(path, bytes.baseAddress, bytes.count)
      return count < 0 ? nil : string(bytes[..<count])
    }
  }

  /// The peer of a socket of a process, such as `10.0.0.5:5432`; nil if it has none.
  ///
  /// - Parameter address: The peer's address in the process if `connect` has not
  ///   returned, or 0.
  package static func peer(
    of descriptor: Int32,
    in process: Int32,
    connectingTo address: UInt64
  ) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 200) { bytes in
      let count = lw_peer(process, descriptor, address, bytes.baseAddress, bytes.count)
      return count <= 0 ? nil : string(bytes[..<count])
    }
  }

  /// The names in a folder.
  package static func names(in path: String) -> [String] {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 16) { bytes in
      let count = lw_list(path, bytes.baseAddress, bytes.count)
      guard count > 0 else { return [] }
      return string(bytes[..<count]).split(separator: "\0").map(String.init)
    }
  }
}
