private import CLoopbench

/// The producer's side of `wake`, the same for every peer.
package final class WakePings {
  /// What the loop's callback gives to `cl_wake_answer`.
  package let pointer: OpaquePointer
  private let count: Int

  /// Prepares the pings that `effort` asks for.
  package init(effort: Effort) throws(PeerFailure) {
    count = effort.warmUps + effort.samples
    guard let pointer = cl_wake_open(UInt32(count)) else { throw .noLoop }
    self.pointer = pointer
  }

  deinit {
    cl_wake_close(pointer)
  }

  /// Measures a slice: pings from a thread of its own while the loop runs.
  ///
  /// - Parameters:
  ///   - send: Hands one thing to the loop that calls `cl_wake_answer` there.
  ///   - stop: Ends `runLoop`; on the producer's thread, after the last answer.
  package func measure(
    _ slice: inout Slice,
    send: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
    context: UnsafeMutableRawPointer?,
    stop: @escaping @Sendable () -> Void,
    runLoop: () throws(PeerFailure) -> Void
  ) throws(PeerFailure) {
    guard slice.series != "paced" else {
      let paced = PacedPings(pointer: pointer, slice: &slice)
      return try paced.measure(&slice, send: send, context: context, stop: stop, runLoop: runLoop)
    }
    let pause = WakeLoad.pause(before: slice.series)
    let isLow = WakeLoad.isLow(slice.series)
    let seed = slice.generator.next()
    let shared = Shared((pings: pointer, context: context))
    let producer = try PlacedThread(cpu: slice.seats.producer) {
      if isLow { cl_thread_lower() }
      cl_wake_ping(shared.value.pings, pause, seed, send, shared.value.context)
      stop()
    }
    let outcome = Result { () throws(PeerFailure) in try runLoop() }
    producer.join()
    try outcome.get()
    record(into: &slice)
  }

  private func record(into slice: inout Slice) {
    let oneWay = cl_wake_one_way(pointer)
    let roundTrip = cl_wake_round_trip(pointer)
    let sent = cl_wake_sent(pointer)
    for index in slice.effort.warmUps..<count {
      let (began, answered) = (sent[index], sent[index] &+ oneWay[index])
      slice.note("send to answer", on: .producer, from: began, to: began &+ roundTrip[index])
      slice.note("callback", on: .loop, from: answered, to: answered)
      if slice.series == Series.closedName {
        slice.record(nanoseconds: Double(oneWay[index]))
        slice.count(1, as: Series.closedSends)
        slice.count(roundTrip[index], as: Series.closedTime)
        continue
      }
      guard slice.series == "across" else {
        slice.record(nanoseconds: Double(roundTrip[index]))
        continue
      }
      slice.record(nanoseconds: Double(oneWay[index]))
      slice.record(nanoseconds: Double(roundTrip[index]), as: "across.roundtrip")
    }
  }
}
