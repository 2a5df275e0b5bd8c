private import CLoopbench

/// A file that appears whole or not at all: written beside its place, then
/// renamed. Opened before a run, so that a bad path costs no measuring.
///
/// What is no regular file, such as `/dev/null` or a FIFO, is written directly,
/// and so is a file that is standard output already. Of a symlink, the file it
/// leads to is replaced.
public final class OutputFile {
  /// Where it will be, the same for every way of writing it; `nil` for what is
  /// written directly.
  package let place: String?
  private var state: State

  private enum State {
    case open(OpaquePointer)
    case closed
  }

  /// Opens a new file beside `path`.
  ///
  /// Removes what killed runs have left in its folder.
  public convenience init(path: String) throws(SystemError) {
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
    abandon()
  }

  /// Writes `text` and puts the file in its place.
  ///
  /// - Precondition: The first call.
  public func finish(with text: String) throws(SystemError) {
    guard case .open(let output) = state else {
      preconditionFailure("OutputFile: finish must be called once, got a second call")
    }
    try write(text, to: cl_output_descriptor(output))
    state = .closed
    let error = cl_output_finish(output)
    guard error == 0 else { throw SystemError(code: error) }
  }

  private func write(_ text: String, to descriptor: Int32) throws(SystemError) {
    var text = text
    let error = text.withUTF8 { bytes -> Int32 in
      guard let start = bytes.baseAddress else { return 0 }
      return cl_write_all(descriptor, start, bytes.count)
    }
    guard error == 0 else { throw SystemError(code: error) }
  }

  /// Leaves nothing behind of a run that failed.
  private func abandon() {
    switch state {
    case .open(let output): cl_output_abandon(output)
    case .closed: break
    }
  }
}
