/// Immutable bytes that several connections can send without a copy for each.
///
/// Create and use it on any thread, for example to post a message to the loops
/// of its receivers.
///
/// ```swift
/// let message = SharedBytes("the cat is back\n")
/// for client in clients { client.write(message) }
/// ```
public final class SharedBytes: Sendable {
  let chunk: Chunk

  /// Copies `bytes`.
  public init(_ bytes: [UInt8]) { chunk = bytes.withUnsafeBytes { Chunk(copying: $0) } }

  /// Copies the UTF-8 code units of `text`.
  public init(_ text: String) {
    var text = text
    chunk = text.withUTF8 { Chunk(copying: UnsafeRawBufferPointer($0)) }
  }

  /// The number of bytes.
  public var count: Int { chunk.count }
}

extension [UInt8] {
  /// Copies the bytes of `span`.
  public init(copying span: RawSpan) { self = span.withUnsafeBytes { Array($0) } }
}

extension String {
  /// Decodes the bytes of `span` as UTF-8. Replaces invalid code units by
  /// U+FFFD.
  public init(copying span: RawSpan) {
    self = span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}
