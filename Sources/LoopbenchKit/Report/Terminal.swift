private import CLoopbench

/// Standard output and standard error.
public enum Terminal: Int32, Sendable {
  /// For the report.
  case output = 1
  /// For everything else.
  case error = 2

  /// Whether a person is likely to look at it now.
  public var isInteractive: Bool { cl_is_terminal(rawValue) }

  /// Its columns; 80 where it does not tell.
  public var width: Int { knownWidth ?? 80 }

  /// Its columns; `nil` where it does not tell, or is none.
  public var knownWidth: Int? {
    let width = Int(cl_terminal_width(rawValue))
    return width > 0 ? width : nil
  }

  /// Writes all of `text`, unbuffered.
  public func write(_ text: String) throws(SystemError) {
    var text = text
    let error = text.withUTF8 { bytes -> Int32 in
      guard let start = bytes.baseAddress else { return 0 }
      return cl_write_all(rawValue, start, bytes.count)
    }
    guard error == 0 else { throw SystemError(code: error) }
  }
}
