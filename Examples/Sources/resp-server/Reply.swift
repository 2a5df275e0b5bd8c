/// Replies in the encoding of the Redis protocol.
struct Reply {
  private(set) var bytes: [UInt8] = []

  /// Removes all bytes, and frees their memory if it is more than `limit`.
  mutating func removeAll(keepingCapacity limit: Int) {
    bytes.removeAll(keepingCapacity: bytes.capacity <= limit)
  }

  mutating func simple(_ text: StaticString) { line("+", text) }

  mutating func error(_ text: String) { line("-", text) }

  mutating func number(_ value: Int) { line(":", value) }

  mutating func null() { line("$", -1) }

  mutating func array(_ count: Int) { line("*", count) }

  mutating func bulk(_ value: [UInt8]) { value.withUnsafeBytes { bulk($0) } }

  mutating func bulk(_ value: UnsafeRawBufferPointer) {
    line("$", value.count)
    bytes.append(contentsOf: value)
    endLine()
  }

  private mutating func line(_ kind: Unicode.Scalar, _ text: StaticString) {
    bytes.append(UInt8(ascii: kind))
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    endLine()
  }

  private mutating func line(_ kind: Unicode.Scalar, _ text: String) {
    bytes.append(UInt8(ascii: kind))
    bytes.append(contentsOf: text.utf8)
    endLine()
  }

  private mutating func line(_ kind: Unicode.Scalar, _ value: Int) { line(kind, String(value)) }

  private mutating func endLine() {
    bytes.append(13)
    bytes.append(10)
  }
}
