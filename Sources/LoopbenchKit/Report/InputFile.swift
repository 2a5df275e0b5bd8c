private import CLoopbench
package import FoundationEssentials

/// A file that is read whole; `-` is standard input, which may be a pipe.
package enum InputFile {
  /// - Parameter limit: At most one byte more than this is read of a pipe.
  /// - Throws: Why it can not be read.
  package static func read(_ path: String, limit: Int = 1 << 30) throws -> Data {
    guard path == "-" else { return try Data(contentsOf: URL(filePath: path)) }
    var data = Data()
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while data.count <= limit {
      let count = cl_read(0, &bytes, bytes.count)
      guard count >= 0 else { throw SystemError(code: Int32(count)) }
      guard count > 0 else { break }
      data.append(contentsOf: bytes.prefix(count))
    }
    return data
  }
}
