/// A reply, as the protocol writes it.
struct Reply {
  private(set) var bytes: [UInt8] = []

  mutating func simple(_ text: StaticString) { line("+", text) }

  mutating func error(_ text: String) { line("-", text) }

  mutating func number(_ value: Int) { line(":", value) }

  mutating func null() { line("$", -1) }

  mutating func array(_ count: Int) { line("*", count) }

  mutating func bulk(_ value: [UInt8]) { value.withUnsafeBytes { bulk($0) } }

  mutating func bulk(_ value: UnsafeRawBufferPointer) {
    line("$", value.count)
    bytes.append(contentsOf: value)
    end()
  }

  private mutating func line(_ kind: Unicode.Scalar, _ text: StaticString) {
    bytes.append(UInt8(ascii: kind))
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    end()
  }

  private mutating func line(_ kind: Unicode.Scalar, _ text: String) {
    bytes.append(UInt8(ascii: kind))
    bytes.append(contentsOf: text.utf8)
    end()
  }

  private mutating func line(_ kind: Unicode.Scalar, _ value: Int) { line(kind, String(value)) }

  private mutating func end() {
    bytes.append(13)
    bytes.append(10)
  }
}
