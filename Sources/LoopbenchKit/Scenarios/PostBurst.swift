private import CLoopbench

/// A burst of items from a producer's thread to the loop's, timed end to end.
///
/// The same for every peer: the producer starts when the loop has been asleep
/// for a while, and the clock stops when the last item has run.
package enum PostBurst {
  /// Long enough for the loop to reach its poll and fall asleep.
  private static let headStart: UInt64 = 200_000

  /// - Parameters:
  ///   - produce: Posts the items; on the producer's thread.
  ///   - runLoop: Runs the loop until `finish` stops it; on the caller's thread.
  /// - Returns: ns from before the first post until the last item had run.
  package static func nanoseconds(
    producerCPU: Int?,
    finish: FinishLine,
    produce: @escaping @Sendable () -> Void,
    runLoop: () throws(PeerFailure) -> Void
  ) throws(PeerFailure) -> UInt64 {
    let began = HandOff<UInt64>()
    let producer = try PlacedThread(cpu: producerCPU) {
      cl_spin_until(cl_now() + headStart)
      began.value = cl_now()
      produce()
    }
    let failure = Result { () throws(PeerFailure) in try runLoop() }
    producer.join()
    try failure.get()
    // Without a start nothing was posted, and nothing ran.
    return try finish.nanoseconds(since: began.value ?? .max)
  }
}
