/// A function with a context: what every peer can be handed.
package typealias PostedFunction = @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void

/// Something that runs functions one after the other: where peers that are not
/// on a loop of ours differ.
protocol FunctionQueue: Sendable {
  /// How the command line and reports name it.
  static var name: String { get }
  /// One line: what it is made of.
  static var summary: String { get }
  /// The series of `post` it takes part in.
  static var postSeries: [String] { get }
  /// Why it can not be opened here; `nil` when it can.
  static var unavailability: String? { get }

  /// Opens one on the thread that will run it.
  ///
  /// - Parameter cpu: Where threads of its own belong.
  static func open(cpu: Int?) throws(PeerFailure) -> Self

  /// Hands a function over. Call from any thread.
  func post(_ function: @escaping PostedFunction, context: UnsafeMutableRawPointer?)

  /// Calls `function` whenever the queue is about to wait.
  ///
  /// - Returns: Whether it will; if not, every function is a tick of its own.
  func beforeWaiting(_ function: @escaping PostedFunction, context: UnsafeMutableRawPointer?)
    -> Bool

  /// Returns after `stop()`. Functions run on the calling thread unless the
  /// queue has threads of its own.
  func run()

  /// Ends `run()`. Call from any thread, or from a function.
  func stop()

  /// Returns when no function runs any more. Call when nothing is posted any
  /// more, on the thread that opened it.
  func close()
}

extension FunctionQueue {
  static var postSeries: [String] { ["closure.across", "closure.self"] }

  static var unavailability: String? { nil }

  func beforeWaiting(
    _ function: @escaping PostedFunction,
    context: UnsafeMutableRawPointer?
  ) -> Bool { false }

  /// Opens a queue, lets `body` use it, and closes it.
  static func using(
    cpu: Int?,
    _ body: (Self) throws(PeerFailure) -> Void
  ) throws(PeerFailure) {
    let queue = try open(cpu: cpu)
    let outcome = Result { () throws(PeerFailure) in try body(queue) }
    queue.close()
    try outcome.get()
  }
}
