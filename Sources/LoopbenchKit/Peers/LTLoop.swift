import LoopTransactions

/// Makes the loop that an `lt` peer measures, and closes it afterwards.
enum LTLoop {
  /// Runs `body` with a loop of the calling thread.
  static func with(
    _ body: (EventLoop) throws(PeerFailure) -> Void
  ) throws(PeerFailure) {
    let loop = try open { () throws(UVError) in try EventLoop() }
    try body(loop)
    try close(loop)
  }

  /// The loop that `make` makes.
  static func open(
    _ make: () throws(UVError) -> EventLoop
  ) throws(PeerFailure) -> EventLoop {
    do { return try make() } catch { throw PeerFailure("\(error)") }
  }

  /// Closes `loop`.
  static func close(_ loop: EventLoop) throws(PeerFailure) {
    do { try loop.close() } catch { throw PeerFailure("\(error)") }
  }
}
