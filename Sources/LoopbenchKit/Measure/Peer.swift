/// One implementation of the work that a scenario measures.
///
/// A peer keeps no state between slices. It opens its resources, warms them up,
/// measures, and closes them. The order of a round therefore cannot favour any
/// peer.
///
/// ```swift
/// struct SpinWake: Peer {
///   let name = "spin"
///   let scenario = "wake"
///   let series = ["across"]
///   let summary = "a flag that the other thread polls"
///
///   func measure(_ slice: inout Slice) throws(PeerError) {
///     slice.sample { operations in roundTrips(operations) }
///   }
/// }
/// ```
public protocol Peer: Sendable {
  /// The name on the command line and in reports: `uv`, `lt.kept`.
  var name: String { get }
  /// The name of the peer's scenario.
  var scenario: String { get }
  /// The series of the scenario that the peer can measure, without companions.
  var series: [String] { get }
  /// A description of the implementation in one line.
  var summary: String { get }

  /// Whether a run that names no peers measures this peer.
  var isStandard: Bool { get }
  /// Whether this peer exists only so that other peers can be compared with it. A
  /// fail rule that names no peer skips it.
  var isReference: Bool { get }
  /// The reason why the peer cannot be measured on this machine; `nil` if it can.
  var unavailability: String? { get }
  /// Whether the peer must be measured on the process's first thread.
  var isOnFirstThread: Bool { get }

  /// Measures `slice.series` once and records into `slice`.
  ///
  /// Called on a new thread that is placed on the loop's CPU and serves as the
  /// loop's thread. Place a producer's thread on `slice.seats.producer`. If
  /// `isOnFirstThread` is true, this function is called on the first thread, which
  /// is not placed.
  func measure(_ slice: inout Slice) throws(PeerError)
}

extension Peer {
  /// True.
  public var isStandard: Bool { true }
  /// False.
  public var isReference: Bool { false }
  /// `nil`: the peer can be measured.
  public var unavailability: String? { nil }
  /// False.
  public var isOnFirstThread: Bool { false }
}

/// The reason a peer could not be measured.
public struct PeerError: Error, Equatable, CustomStringConvertible {
  /// The failure, in one sentence.
  public let description: String

  /// Makes a failure with a message, one sentence about the failed operation.
  public init(_ description: String) {
    self.description = description
  }

  /// libuv could not open a loop or a handle. Usually the process has no free
  /// descriptors.
  package static let noLoop = PeerError(
    "libuv could not open a loop; is the process out of descriptors (ulimit -n)?"
  )
}
