private import CLoopbench
package import FoundationEssentials
private import LoopTransactions

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// Reads whole files. The path `-` is standard input, which may be a pipe.
///
/// Does not use `Data(contentsOf:)`, which cannot read pipes and leaks memory when
/// reading fails.
package enum InputFile {
  /// Reads the file at `path`.
  ///
  /// - Parameters:
  ///   - limit: The maximum size in bytes. The limit makes reading `/dev/zero` fail
  ///     instead of never ending.
  ///   - onlyRegular: Whether `path` must be a regular file, because reading a
  ///     regular file never blocks. If true, `-` is an ordinary file name.
  /// - Throws: The reason the file cannot be read. `SystemError.tooLarge` if it
  ///   exceeds `limit`. `SystemError.notRegular` if `onlyRegular` is true and it is
  ///   not a regular file.
  package static func read(
    _ path: String,
    limit: Int,
    onlyRegular: Bool = false
  ) throws(SystemError) -> Data {
    let descriptor = try onlyRegular ? openRegular(path) : openAny(path)
    defer { if descriptor > 0 { close(descriptor) } }
    var data = Data()
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = CLoopbench.read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .last }
      guard count > 0 else { return data }
      guard data.count + count <= limit else { throw SystemError.tooLarge }
      data.append(contentsOf: bytes.prefix(count))
    }
  }
}

extension InputFile {
  private static func openAny(_ path: String) throws(SystemError) -> Int32 {
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last }
    return descriptor
  }

  private static func openRegular(_ path: String) throws(SystemError) -> Int32 {
    // Checked before opening, because opening a device can have side effects.
    var status = stat()
    guard stat(path, &status) == 0 else { throw .last }
    guard isRegular(status) else { throw .notRegular }
    // O_NONBLOCK: reading some regular files of /proc and /sys would block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw .last }
    // Check again, because the file may have been replaced.
    if fstat(descriptor, &status) == 0, isRegular(status) { return descriptor }
    close(descriptor)
    throw .notRegular
  }

  private static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }
}

/// A file that is written atomically. The text is written to a temporary file in
/// the same folder, which is then renamed. Make the file before a run, so that an
/// invalid path is reported before measuring.
///
/// A path that is not a regular file, such as `/dev/null` or a FIFO, is written
/// directly. A file that standard output is redirected to is also written directly.
/// If the path is a symlink, its target is replaced.
package final class OutputFile {
  private let output: OpaquePointer
  private var isFinished = false

  /// Checks that a file can be written at `path`.
  ///
  /// - Parameter replacesAny: Whether a symlink, FIFO or device at `path` is
  ///   replaced, too.
  package init(path: String, replacesAny: Bool = false) throws(SystemError) {
    var output: OpaquePointer?
    let error = cl_output_open(path, replacesAny, &output)
    guard error == 0, let output else { throw SystemError(code: error) }
    self.output = output
  }

  deinit {
    cl_output_close(output)
  }

  /// Writes `text` and renames the file to its path.
  ///
  /// - Precondition: This function has not been called before.
  package func finish(with text: String) throws(SystemError) {
    require(!isFinished, "OutputFile: finish must be called once, got a second call")
    isFinished = true
    try Self.write(text) { cl_output_write(output, $0, $1) }
  }
}

extension OutputFile {
  /// Passes the bytes of `text` to a function that returns 0 or an errno.
  fileprivate static func write(
    _ text: String,
    _ body: (UnsafePointer<UInt8>, Int) -> Int32
  ) throws(SystemError) {
    var text = text
    let error = text.withUTF8 { bytes in bytes.baseAddress.map { body($0, bytes.count) } ?? 0 }
    guard error == 0 else { throw SystemError(code: error) }
  }
}

/// Standard output and standard error.
package enum Terminal: Int32, Sendable {
  /// Standard output, for the report.
  case output = 1
  /// Standard error, for all other output.
  case error = 2

  /// Whether the stream is a terminal.
  package var isInteractive: Bool { isatty(rawValue) != 0 }

  /// The number of columns; 80 if unknown.
  package var width: Int { knownWidth ?? 80 }

  /// The number of columns; `nil` if unknown or not a terminal.
  package var knownWidth: Int? {
    let width = Int(cl_terminal_width(rawValue))
    return width > 0 ? width : nil
  }

  /// Writes all of `text`, unbuffered.
  package func write(_ text: String) throws(SystemError) {
    try OutputFile.write(text) { cl_write_all(rawValue, $0, $1) }
  }
}

/// An `errno`, with libuv's description.
package struct SystemError: Error, Equatable, CustomStringConvertible, Sendable {
  /// The positive `errno`.
  package let code: Int32

  /// Wraps an `errno` of either sign.
  package init(code: Int32) {
    self.code = abs(code)
  }

  /// The error of the last system call, from `errno`.
  static var last: SystemError { SystemError(code: errno) }

  package static let tooLarge = SystemError(code: EFBIG)

  /// The path is a FIFO, a device or a folder instead of a regular file.
  package static let notRegular = SystemError(code: EINVAL)

  /// libuv's message for the error, such as "permission denied".
  package var description: String {
    String(capacity: 256) { cl_error_message(code, $0, $1) }
  }
}

extension LoopbenchError {
  /// The file at `path` cannot be written.
  package static func unwritable(_ path: String, _ cause: SystemError) -> Self {
    .failed("cannot write \"\(path)\": \(cause)")
  }
}
