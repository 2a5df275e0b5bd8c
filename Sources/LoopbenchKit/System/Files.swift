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
  /// - Throws: Why it can not be read; for too many bytes, `SystemError.tooLarge`.
  package static func read(_ path: String, limit: Int) throws(SystemError) -> Data {
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(code: errno) }
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
  package init(path: String) throws(SystemError) {
    var output: OpaquePointer?
    let error = cl_output_open(path, &output)
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
  /// The file at `path` can not be written.
  package static func unwritable(_ path: String, _ cause: SystemError) -> Self {
    .failed("can not write \"\(path)\": \(cause)")
  }
}
