import LoopTransactions

extension EventLoop {
  /// Makes a loop, lets `body` measure on it, and closes it: all on the calling
  /// thread, which is the loop's.
  static func measuring(
    on make: () throws(UVError) -> EventLoop = { () throws(UVError) in try EventLoop() },
    _ body: (EventLoop) throws(PeerFailure) -> Void
  ) throws(PeerFailure) {
    do {
      let loop = try make()
      let outcome = Result { () throws(PeerFailure) in try body(loop) }
      try loop.close()
      try outcome.get()
    } catch let failure as PeerFailure {
      throw failure
    } catch {
      throw PeerFailure("\(error)")
    }
  }

  /// A C function that stops the loop whose address it is told.
  static let stopFunction: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    guard let context else { return }
    Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue().stop()
  }

  /// The loop as the context of `stopFunction`.
  var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}
