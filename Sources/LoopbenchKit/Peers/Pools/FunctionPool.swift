/// Threads that run functions, several at once: where the peers of `pool` and
/// `priority` differ.
///
/// Their threads are placed nowhere, and neither is the one that measures: what is
/// compared includes where the system lets them run.
protocol FunctionPool: Sendable {
  /// How the command line and reports name it.
  static var name: String { get }
  /// One line: what it is made of.
  static var summary: String { get }
  /// The series of `pool` it takes part in.
  static var poolSeries: [String] { get }
  /// Whether others are compared with it.
  static var isReference: Bool { get }
  /// Why it can not be opened here; `nil` when it can.
  static var unavailability: String? { get }

  /// Opens one of `PoolLoad.workers`.
  static func open() throws(PeerFailure) -> Self

  /// Hands a function over. Call from any thread, a function's own too.
  func add(
    _ function: @escaping PostedFunction,
    context: UnsafeMutableRawPointer?,
    _ urgency: Urgency
  )

  /// Does what the thread that adds has to do until its functions have run.
  func settle()

  /// ns to cancel `count` functions that wait.
  func cancel(_ count: Int) throws(PeerFailure) -> UInt64

  /// Measures `transactions`.
  static func measureTransactions(_ slice: inout Slice) throws(PeerFailure)

  /// Call when every function has run.
  func close()
}

/// How urgent a function is.
enum Urgency: Int32, Sendable {
  case low = -1
  case normal = 0
  case high = 1
}

extension FunctionPool {
  static var isReference: Bool { true }

  static var unavailability: String? { nil }

  func settle() {}

  func cancel(_ count: Int) throws(PeerFailure) -> UInt64 {
    throw PeerFailure("\(Self.name) cancels nothing")
  }

  static func measureTransactions(_ slice: inout Slice) throws(PeerFailure) {
    throw slice.unknownSeries
  }

  func close() {}

  /// Opens a pool, lets `body` use it, and closes it.
  static func using(_ body: (Self) throws(PeerFailure) -> Void) throws(PeerFailure) {
    let pool = try open()
    let outcome = Result { () throws(PeerFailure) in try body(pool) }
    pool.close()
    try outcome.get()
  }
}
