private import CLoopbench
package import FoundationEssentials

/// A file that is read whole; `-` is standard input, which may be a pipe.
///
/// Not `Data(contentsOf:)`: it reads no pipe, and leaks where reading fails.
package enum InputFile {
  /// - Parameter limit: In bytes. What has more, such as `/dev/zero`, is not read
  ///   to its end.
  /// - Parameter onlyRegular: Whether `path` must be a regular file. Reading one
  ///   never blocks, and "-" has no meaning of its own.
  /// - Throws: Why it can not be read; for too many bytes, `SystemError.tooLarge`,
  ///   for what is no regular file but must be, `SystemError.notRegular`.
  package static func read(
    _ path: String,
    limit: Int,
    onlyRegular: Bool = false
  ) throws(SystemError) -> Data {
    guard path != "-" || onlyRegular else { return try read(from: 0, limit: limit) }
    let descriptor = onlyRegular ? cl_open_regular_input(path) : cl_open_input(path)
    guard descriptor >= 0 else { throw SystemError(code: descriptor) }
    defer { cl_close_input(descriptor) }
    return try read(from: descriptor, limit: limit)
  }

  private static func read(from descriptor: Int32, limit: Int) throws(SystemError) -> Data {
    var data = Data()
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = cl_read(descriptor, &bytes, bytes.count)
      guard count >= 0 else { throw SystemError(code: Int32(count)) }
      guard count > 0 else { return data }
      guard data.count + count <= limit else { throw SystemError.tooLarge }
      data.append(contentsOf: bytes.prefix(count))
    }
  }
}
