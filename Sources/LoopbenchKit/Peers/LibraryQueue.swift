private import CLoopbench

/// A queue in the library that needs Foundation.
struct LibraryQueue: Sendable {
  private let functions: cl_queue_functions
  private let queue: Shared<UnsafeMutableRawPointer>

  /// Why the library can not be there; `nil` when it is.
  static var unavailability: String? { FoundationLibrary.unavailability }

  /// Opens what the library's function `symbol` describes.
  init(_ symbol: String, cpu: Int?) throws(PeerFailure) {
    functions = try FoundationLibrary.functions(symbol)
    guard let queue = functions.open(Int32(cpu ?? -1)) else { throw .noMemory }
    self.queue = Shared(queue)
  }

  func post(_ function: @escaping PostedFunction, context: UnsafeMutableRawPointer?) {
    functions.post(queue.value, function, context)
  }

  func run() { functions.run(queue.value) }

  func stop() { functions.stop(queue.value) }

  func close() { functions.close(queue.value) }
}
