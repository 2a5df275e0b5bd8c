/// One implementation of the work that a scenario measures.
///
/// A peer keeps no state between slices. It opens its resources, warms them up,
/// measures and closes them, so that the order of a round cannot favour any peer.
///
/// ```swift
/// struct SpinWake: Peer {
///   let name = "spin"
///   let scenario = "wake"
///   let series = ["across"]
///   let summary = "a flag that the other thread polls"
///
///   func measure(_ slice: inout Slice) throws(PeerFailure) {
///     slice.sample { operations in roundTrips(operations) }
///   }
/// }
/// ```
public protocol Peer: Sendable {
  /// The name on the command line and in reports: `uv`, `lt.kept`.
  var name: String { get }
  /// The name of its scenario.
  var scenario: String { get }
  /// The series of the scenario that it can measure, without companions.
  var series: [String] { get }
  /// A description of the implementation in one line.
  var summary: String { get }

  /// Whether a run that names no peers measures it.
  var isStandard: Bool { get }
  /// Whether it exists only so that others can be compared with it. A fail rule
  /// that names no peer skips it.
  var isReference: Bool { get }
  /// The reason it cannot be measured here; `nil` when it can.
  var unavailability: String? { get }
  /// Whether it must be measured on the process's first thread.
  var isOnFirstThread: Bool { get }

  /// Measures `slice.series` once and records into `slice`.
  ///
  /// Called on a new thread that is placed on the loop's CPU and serves as the
  /// loop's thread. A producer's thread belongs on `slice.seats.producer`. With
  /// `isOnFirstThread` it is called on the first thread, which is not placed.
  func measure(_ slice: inout Slice) throws(PeerFailure)
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
public struct PeerFailure: Error, Equatable, CustomStringConvertible {
  /// The failure, in one sentence.
  public let description: String

  /// Makes a failure with a message, one sentence about the failed operation.
  public init(_ description: String) {
    self.description = description
  }

  /// libuv could not open a loop or a handle, most often for lack of descriptors.
  package static let noLoop = PeerFailure(
    "libuv could not open a loop; is the process out of descriptors (ulimit -n)?"
  )
}
