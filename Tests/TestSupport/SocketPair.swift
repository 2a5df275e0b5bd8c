#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Two connected descriptors. Each is closed once, at the latest when the pair
/// is released.
package final class SocketPair {
  /// One end. A pipe's end for reading.
  package private(set) var near: Int32
  /// The other end. A pipe's end for writing.
  package private(set) var far: Int32

  /// Opens a stream socket pair, or a pipe.
  package init(pipe isPipe: Bool = false) {
    var ends: [Int32] = [-1, -1]
    let stream = Int32(SOCK_STREAM.rawValue)
    let result = isPipe ? pipe(&ends) : socketpair(AF_UNIX, stream, 0, &ends)
    precondition(result == 0, "SocketPair: the system is out of descriptors")
    // A program that another test starts would otherwise keep the ends open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (near, far) = (ends[0], ends[1])
  }

  deinit {
    closeNear()
    closeFar()
  }

  /// Sends `count` bytes from the far end.
  package func send(_ count: Int = 1) { Self.write(count, to: far) }

  /// Writes `count` bytes to `descriptor`.
  package static func write(_ count: Int, to descriptor: Int32) {
    let bytes = [UInt8](repeating: 1, count: count)
    precondition(Glibc.write(descriptor, bytes, count) == count, "SocketPair: a write failed")
  }

  /// Reads up to `limit` bytes at the near end. Returns their number; 0 at the
  /// end and -1 if there are none.
  @discardableResult
  package func receive(_ limit: Int = 64) -> Int { Self.read(limit, from: near) }

  /// Reads up to `limit` bytes from `descriptor`.
  @discardableResult
  package static func read(_ limit: Int, from descriptor: Int32) -> Int {
    var bytes = [UInt8](repeating: 0, count: limit)
    return Glibc.read(descriptor, &bytes, limit)
  }

  /// Fills the near end's buffer, so that it is not writable.
  package func fill() {
    let bytes = [UInt8](repeating: 1, count: 65_536)
    _ = fcntl(near, F_SETFL, fcntl(near, F_GETFL) | O_NONBLOCK)
    while Glibc.write(near, bytes, bytes.count) > 0 {}
  }

  /// Ends the far end's sending. It still receives.
  package func endSending() { shutdown(far, Int32(SHUT_WR)) }

  /// Closes the near end.
  package func closeNear() {
    if near >= 0 { Self.close(near) }
    near = -1
  }

  /// Closes the far end.
  package func closeFar() {
    if far >= 0 { Self.close(far) }
    far = -1
  }

  /// Makes `descriptor` refer to the far end, without closing the far end.
  package func replace(_ descriptor: Int32) { dup2(far, descriptor) }

  /// Returns another descriptor of the file that `descriptor` refers to.
  package static func duplicate(_ descriptor: Int32) -> Int32 { dup(descriptor) }

  /// Opens a regular file for reading.
  package static func openRegularFile() -> Int32 { open("/proc/self/exe", O_RDONLY) }

  /// Closes `descriptor`.
  package static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
}
