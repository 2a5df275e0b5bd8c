/// A way of doing what a scenario measures.
///
/// A peer keeps no state between slices: it opens what it needs, warms it up,
/// measures, closes it. Then the order of a round cannot favour anyone.
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
  /// How the command line and reports name it: `uv`, `lt.kept`.
  var name: String { get }
  /// The scenario it belongs to.
  var scenario: String { get }
  /// Those of the scenario's series it can measure; not their companions.
  var series: [String] { get }
  /// One line: what it is made of.
  var summary: String { get }

  /// Whether it takes part in a run that names no peers.
  var isStandard: Bool { get }
  /// Whether others are compared with it, and it is nobody's work here: a rule
  /// that names no peer passes it over.
  var isReference: Bool { get }
  /// Why it cannot be measured here; `nil` when it can.
  var unavailability: String? { get }
  /// Whether it is measured on the thread that calls for it, which is then the
  /// process's first: it needs what belongs to that one.
  var isOnFirstThread: Bool { get }

  /// Measures `slice.series` once and records into `slice`.
  ///
  /// Called on a thread of its own that sits on the loop's CPU: it is the loop's
  /// thread. A producer's thread belongs on `slice.seats.producer`. With
  /// `isOnFirstThread` it is called on that, which nobody places.
  func measure(_ slice: inout Slice) throws(PeerFailure)
}

extension Peer {
  /// It does.
  public var isStandard: Bool { true }
  /// It is not.
  public var isReference: Bool { false }
  /// It can.
  public var unavailability: String? { nil }
  /// It is not.
  public var isOnFirstThread: Bool { false }
}

/// Why a peer could not be measured.
public struct PeerFailure: Error, Equatable, CustomStringConvertible {
  /// One sentence: what was tried, and what came back.
  public let description: String

  /// Makes a failure with a message that says what was tried.
  public init(_ description: String) {
    self.description = description
  }

  /// libuv could not make a loop or a handle: most often out of descriptors.
  package static let noLoop = PeerFailure(
    "libuv could not open a loop; is the process out of descriptors (ulimit -n)?"
  )
}
