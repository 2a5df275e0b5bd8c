/// The events of a descriptor that a `DescriptorWatcher` waits for.
public struct DescriptorEvents: OptionSet, Hashable, Sendable {
  /// The bits of the set. The first four are libuv's.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// There is data to read, a connection to accept, or the end of the stream.
  public static let readable = DescriptorEvents(rawValue: 1)

  /// A write would not block.
  public static let writable = DescriptorEvents(rawValue: 2)

  /// The other side will send no more. Unread data may remain.
  public static let hangUp = DescriptorEvents(rawValue: 4)

  /// There is urgent data, or a file of the kernel has changed (`POLLPRI`).
  public static let priority = DescriptorEvents(rawValue: 8)

  /// The next read or write returns an error. Always reported; a watcher need
  /// not ask for it.
  public static let error = DescriptorEvents(rawValue: 16)
}

extension DescriptorEvents: CustomStringConvertible {
  /// The names of the events, such as `[readable, hangUp]`.
  public var description: String {
    let names: [(DescriptorEvents, String)] = [
      (.readable, "readable"), (.writable, "writable"), (.hangUp, "hangUp"),
      (.priority, "priority"), (.error, "error"),
    ]
    return "[\(names.filter { contains($0.0) }.map(\.1).joined(separator: ", "))]"
  }
}
