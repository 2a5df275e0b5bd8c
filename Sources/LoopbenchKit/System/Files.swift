private import CLoopbench
package import FoundationEssentials

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// A file that is read whole; `-` is standard input, which may be a pipe.
///
/// Not `Data(contentsOf:)`: it reads no pipe, and leaks where reading fails.
package enum InputFile {
  /// - Parameter limit: In bytes. What has more, such as `/dev/zero`, is not read
  ///   to its end.
  /// - Parameter onlyRegular: Whether `path` must be a regular file. Reading one
  ///   never blocks, and "-" has no meaning of its own.
  /// - Throws: The reason the file cannot be read; for too many bytes,
  ///   `SystemError.tooLarge`; where a regular file is required and there is none,
  ///   `SystemError.notRegular`.
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
      let count = systemRead(descriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(code: errno) }
      guard count > 0 else { return data }
      guard data.count + count <= limit else { throw SystemError.tooLarge }
      data.append(contentsOf: bytes.prefix(count))
    }
  }
}

extension InputFile {
  private static func openAny(_ path: String) throws(SystemError) -> Int32 {
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    return descriptor
  }

  private static func openRegular(_ path: String) throws(SystemError) -> Int32 {
    // First: opening a device may already have an effect.
    var status = stat()
    guard stat(path, &status) == 0 else { throw SystemError(code: errno) }
    guard isRegular(status) else { throw .notRegular }
    // O_NONBLOCK: reading some regular files of /proc and /sys blocks.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    // Again: the file may have been replaced.
    if fstat(descriptor, &status) == 0, isRegular(status) { return descriptor }
    close(descriptor)
    throw .notRegular
  }

  private static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }
}

/// A file that appears whole or not at all: written beside its place, then
/// renamed. Opened before a run, so that a bad path costs no measuring.
///
/// What is no regular file, such as `/dev/null` or a FIFO, is written directly,
/// and so is a file that is standard output already. Of a symlink, the file it
/// leads to is replaced.
package final class OutputFile {
  /// Where it will be, the same for every way of writing it; `nil` for what is
  /// written directly.
  package let place: String?
  private var state: State

  private enum State {
    case open(OpaquePointer)
    case finished
  }

  /// Opens a new file beside `path`.
  ///
  /// Removes the files that killed runs left in its folder.
  package convenience init(path: String) throws(SystemError) {
    try self.init(path, cl_output_open)
  }

  /// Opens a new file beside `path` that replaces a symlink, FIFO or device there too.
  package convenience init(replacing path: String) throws(SystemError) {
    try self.init(path, cl_output_open_replacing)
  }

  private init(
    _ path: String,
    _ open: (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> Int32
  ) throws(SystemError) {
    var output: OpaquePointer?
    let error = open(path, &output)
    guard error == 0, let output else { throw SystemError(code: error) }
    place = cl_output_place(output).map { String(cString: $0) }
    state = .open(output)
  }

  deinit {
    if case .open(let output) = state { cl_output_abandon(output) }
  }

  /// Writes `text` and puts the file in its place.
  ///
  /// - Precondition: The first call.
  package func finish(with text: String) throws(SystemError) {
    guard case .open(let output) = state else {
      preconditionFailure("OutputFile: finish must be called once, got a second call")
    }
    try writeAll(text, to: cl_output_descriptor(output))
    state = .finished
    let error = cl_output_finish(output)
    guard error == 0 else { throw SystemError(code: error) }
  }
}

/// Standard output and standard error.
package enum Terminal: Int32, Sendable {
  /// For the report.
  case output = 1
  /// For everything else.
  case error = 2

  /// Whether a person is likely to look at it now.
  package var isInteractive: Bool { isatty(rawValue) != 0 }

  /// Its columns; 80 where it does not tell.
  package var width: Int { knownWidth ?? 80 }

  /// Its columns; `nil` where it does not tell, or is none.
  package var knownWidth: Int? {
    let width = Int(cl_terminal_width(rawValue))
    return width > 0 ? width : nil
  }

  /// Writes all of `text`, unbuffered.
  package func write(_ text: String) throws(SystemError) { try writeAll(text, to: rawValue) }
}

/// An `errno`, described as libuv does.
package struct SystemError: Error, Equatable, CustomStringConvertible, Sendable {
  /// The positive number.
  package let code: Int32

  /// Wraps an `errno`, of either sign.
  package init(code: Int32) {
    self.code = abs(code)
  }

  /// Why threads may not have that real-time priority here; `nil` when they may.
  package static func refusing(priority: Int) -> SystemError? {
    let error = cl_thread_try_priority(Int32(priority))
    return error == 0 ? nil : SystemError(code: error)
  }

  package static let tooLarge = SystemError(code: EFBIG)

  /// For a FIFO, a device or a folder where a regular file must be.
  package static let notRegular = SystemError(code: EINVAL)

  /// The system's sentence: "permission denied".
  package var description: String {
    String(capacity: 256) { cl_error_message(code, $0, $1) }
  }
}

private func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ size: Int) -> Int {
  read(file, bytes, size)
}

private func writeAll(_ text: String, to descriptor: Int32) throws(SystemError) {
  var text = text
  let error = text.withUTF8 { bytes -> Int32 in
    guard let start = bytes.baseAddress else { return 0 }
    return cl_write_all(descriptor, start, bytes.count)
  }
  guard error == 0 else { throw SystemError(code: error) }
}

extension LoopbenchError {
  /// The file at `path` cannot be written.
  package static func unwritable(_ path: String, _ cause: SystemError) -> Self {
    .failed("cannot write \"\(path)\": \(cause)")
  }
}
