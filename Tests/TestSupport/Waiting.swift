#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Waits by poll(2), as a host does that has a loop of its own, until `descriptor` is
/// readable or `timeout` is over; nil has no end. Whether it is readable.
@discardableResult
package func waitFor(_ descriptor: Int32, _ timeout: Duration?) -> Bool {
  var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  let milliseconds = timeout.map { timeout in
    let (seconds, attoseconds) = timeout.components
    return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  }
  return poll(&entry, 1, milliseconds ?? -1) > 0
}
