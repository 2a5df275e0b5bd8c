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
