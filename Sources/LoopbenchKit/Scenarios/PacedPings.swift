private import CLoopbench

/// The producer's side of `wake` in the series `paced`: an open loop, the same
/// for every peer.
struct PacedPings {
  private let pointer: OpaquePointer
  private let schedule: OpenLoopSchedule
  private let slackNs: UInt64

  /// Long enough for the loop to fall asleep before the schedule starts.
  private static let headStart: UInt64 = 1_000_000

  /// - Parameter pointer: The pings, which from now on wait for no answer.
  init(pointer: OpaquePointer, slice: inout Slice) {
    self.pointer = pointer
    schedule = OpenLoopSchedule(
      count: slice.effort.warmUps + slice.effort.samples,
      pace: slice.pace,
      generator: &slice.generator
    )
    slackNs = slice.conditions.slackNs
    cl_wake_pace(pointer)
  }

  func measure(
    _ slice: inout Slice,
    send: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
    context: UnsafeMutableRawPointer?,
    stop: @escaping @Sendable () -> Void,
    runLoop: () throws(PeerFailure) -> Void
  ) throws(PeerFailure) {
    let origin = cl_now() + Self.headStart
    let started = HandOff<[UInt64]>()
    let shared = Shared((pings: pointer, context: context))
    let producer = try PlacedThread(cpu: slice.seats.producer) { [schedule, slackNs] in
      cl_sleep_within(slackNs)
      started.value = schedule.follow(from: origin) { _ in
        cl_wake_announce(shared.value.pings)
        send(shared.value.context)
      }
      cl_wake_settle(shared.value.pings)
      stop()
    }
    let outcome = Result { () throws(PeerFailure) in try runLoop() }
    producer.join()
    try outcome.get()
    record(started.value ?? [], from: origin, into: &slice)
  }

  private func record(_ started: [UInt64], from origin: UInt64, into slice: inout Slice) {
    let answers = started.count { $0 != 0 }
    let ended = (0..<answers).map { cl_wake_answered_at(pointer, UInt32($0)) }
    slice.record(schedule, from: origin, started: started, ended: ended)
  }
}
