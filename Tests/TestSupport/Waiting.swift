#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Waits with poll(2), like a host with a loop of its own, until `descriptor`
/// is readable or `timeout` has passed; nil means no timeout. Returns true if
/// the descriptor is readable.
@discardableResult
package func waitFor(_ descriptor: Int32, _ timeout: Duration?) -> Bool {
  var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  let milliseconds = timeout.map { timeout in
    let (seconds, attoseconds) = timeout.components
    return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  }
  return poll(&entry, 1, milliseconds ?? -1) > 0
}
