private import CLoopbench

/// A queue in the library that needs Foundation, which is loaded when the first
/// is opened: `loopbench` itself starts without it.
struct LibraryQueue: Sendable {
  #if os(macOS)
    private static let file = "libloopbench-foundation.dylib"
  #else
    private static let file = "libloopbench-foundation.so"
  #endif

  private let functions: cl_queue_functions
  private let queue: Shared<UnsafeMutableRawPointer>

  /// Why the library can not be there; `nil` when it is.
  static var unavailability: String? {
    cl_library_exists(file) != 0
      ? nil
      : "\(file) is not beside loopbench; swift build --product loopbench-foundation makes it"
  }

  /// Opens what the library's function `symbol` describes.
  init(_ symbol: String, cpu: Int?) throws(PeerFailure) {
    functions = try Self.functions(symbol)
    guard let queue = functions.open(Int32(cpu ?? -1)) else { throw .noMemory }
    self.queue = Shared(queue)
  }

  private static func functions(_ symbol: String) throws(PeerFailure) -> cl_queue_functions {
    var reason = [CChar](repeating: 0, count: 512)
    guard let address = cl_library_symbol(file, symbol, &reason, reason.count) else {
      let text = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw PeerFailure("could not load \(file): \(String(decoding: text, as: UTF8.self))")
    }
    // The library is of the same package, and says so in its function's name.
    let describe = unsafeBitCast(
      address,
      to: (@convention(c) (UnsafeMutablePointer<cl_queue_functions>) -> Void).self
    )
    return withUnsafeTemporaryAllocation(of: cl_queue_functions.self, capacity: 1) { buffer in
      describe(buffer.baseAddress.unsafelyUnwrapped)
      return buffer[0]
    }
  }

  func post(_ function: @escaping PostedFunction, context: UnsafeMutableRawPointer?) {
    functions.post(queue.value, function, context)
  }

  func run() { functions.run(queue.value) }

  func stop() { functions.stop(queue.value) }

  func close() { functions.close(queue.value) }
}
