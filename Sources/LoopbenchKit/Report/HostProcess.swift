private import CLoopbench

/// The process this runs in, and what it could become.
package enum HostProcess {
  /// The environment's variables.
  package static var environment: [String: String] {
    var environment: [String: String] = [:]
    var index = 0
    while let line = cl_environment(index) {
      let parts = String(cString: line).split(separator: "=", maxSplits: 1)
      if let name = parts.first {
        environment[String(name)] = parts.count > 1 ? String(parts[1]) : ""
      }
      index += 1
    }
    return environment
  }

  /// The path of the program that runs; empty where unknown.
  package static var programPath: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      start.pointee = 0
      cl_program_path(start, buffer.count)
      return String(cString: start)
    }
  }

  /// Keeps a file that is opened later from becoming standard output where that
  /// is closed.
  package static func keepDescriptors() { cl_keep_descriptors() }

  /// Lets a signal end the process as ever, but leave no load and no half-written
  /// file behind.
  package static func guardSignals() { cl_interrupt_guard() }

  /// Becomes the program at `path`, called with `arguments`, its name first.
  ///
  /// - Returns: Why it could not.
  package static func become(_ path: String, arguments: [String]) -> SystemError {
    let size = arguments.reduce(0) { $0 + $1.utf8.count + 1 }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: max(1, size)) { bytes in
      var pointers: [UnsafeMutablePointer<CChar>?] = []
      var next = bytes.startIndex
      for argument in arguments {
        pointers.append(bytes.baseAddress.map { $0 + next })
        for byte in argument.utf8CString {
          bytes[next] = byte
          next += 1
        }
      }
      return SystemError(code: cl_become(path, pointers + [nil]))
    }
  }
}
