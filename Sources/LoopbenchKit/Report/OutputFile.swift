private import CLoopbench

/// A file that appears whole or not at all: written beside its place, then
/// renamed. Opened before a run, so that a bad path costs no measuring.
public final class OutputFile {
  private let path: String
  private let temporaryPath: String
  private var state: State

  private enum State {
    case open(descriptor: Int32)
    case closed
  }

  /// Opens a new file beside `path`.
  public init(path: String) throws(SystemError) {
    guard !cl_is_directory(path) else { throw SystemError.isDirectory }
    self.path = path
    temporaryPath = path + ".part"
    let descriptor = cl_create_file(temporaryPath)
    guard descriptor >= 0 else { throw SystemError(code: descriptor) }
    state = .open(descriptor: descriptor)
  }

  deinit {
    abandon()
  }

  /// Writes `text` and puts the file in its place.
  ///
  /// - Precondition: The first call.
  public func finish(with text: String) throws(SystemError) {
    guard case .open(let descriptor) = state else {
      preconditionFailure("OutputFile: finish must be called once, got a second call")
    }
    try write(text, to: descriptor)
    state = .closed
    let error = cl_finish_file(descriptor, temporaryPath, path)
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
    case .open(let descriptor): cl_abandon_file(descriptor, temporaryPath)
    case .closed: break
    }
  }
}
