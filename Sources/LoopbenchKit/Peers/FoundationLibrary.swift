private import CLoopbench

/// The library of the peers that need Foundation, which is loaded when the first is
/// opened: `loopbench` itself starts without it.
enum FoundationLibrary {
  #if os(macOS)
    private static let file = "libloopbench-foundation.dylib"
  #else
    private static let file = "libloopbench-foundation.so"
  #endif

  /// Why it can not be there; `nil` when it is.
  static var unavailability: String? {
    cl_library_exists(file) != 0
      ? nil
      : "\(file) is not beside loopbench; swift build --product loopbench-foundation makes it"
  }

  /// What its function `symbol` describes: a C structure of functions.
  static func functions<Functions: BitwiseCopyable>(
    _ symbol: String
  ) throws(PeerFailure) -> Functions {
    var reason = [CChar](repeating: 0, count: 512)
    guard let address = cl_library_symbol(file, symbol, &reason, reason.count) else {
      let text = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw PeerFailure("could not load \(file): \(String(decoding: text, as: UTF8.self))")
    }
    // The library is of the same package, and says so in its function's name.
    let describe = unsafeBitCast(
      address,
      to: (@convention(c) (UnsafeMutableRawPointer) -> Void).self
    )
    return withUnsafeTemporaryAllocation(of: Functions.self, capacity: 1) { buffer in
      describe(UnsafeMutableRawPointer(buffer.baseAddress.unsafelyUnwrapped))
      return buffer[0]
    }
  }
}
