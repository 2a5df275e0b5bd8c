import LoopTransactionsTesting
private import CLoopbench

extension Scenario {
  /// Waking a sleeping loop.
  ///
  /// Two series run both threads on one CPU. In `same`, sender and loop have equal
  /// priorities. The kernel usually lets the sender finish its send, and the loop
  /// runs when the sender sleeps (Linux 6.18 preempts 1 to 9 of 100 sends). In
  /// `same.low`, the sender has a lower priority, as background threads do, so the
  /// loop preempts it during the send. A sender that is preempted there makes the
  /// loop spin in libuv 1.44. On a kernel that preempts sooner, this also happens
  /// in `same`.
  package static let wake = Scenario(
    name: "wake",
    summary: "another thread posts one item to a sleeping loop, which answers",
    series: [
      acrossWake,
      Series(
        name: "across.roundtrip",
        summary: "like across, but until the sender, which sleeps meanwhile, runs again",
        recordedWith: acrossWake
      ),
      Series(
        name: "same",
        summary: "one CPU, sender rarely preempted: before the send until the sender runs again",
        workload: Workload(warmUps: 50, samples: 500, operations: 1),
        placement: .same
      ),
      Series(
        name: "same.low",
        summary: "one CPU, sender at the lowest priority, so that it is preempted while it sends",
        workload: Workload(warmUps: 20, samples: 200, operations: 1),
        placement: .same
      ),
      pacedWake,
      Series(
        name: "paced.service",
        summary: "like paced, but from the send, or from the previous callback if it was later",
        recordedWith: pacedWake,
        kind: .service
      ),
      Series(
        name: "paced.lag",
        summary: "the lateness of the sender itself: from when the send was due to the send",
        recordedWith: pacedWake,
        kind: .lag
      ),
    ],
    floors: ["eventfd", "cond"],
    extras: [.processorUse],
    details: """
      A loop sleeps in its poll, and another thread sends it one item. The clock starts before the
      sending call, so the cost of that call is included.

        producer   before ─ send ─ (asleep) ────────────── runs again
        loop       (asleep in poll) ──── callback ─ answer
        across         ├─────────────────────┤
        roundtrip      ├───────────────────────────────────────┤

      In `across` the two threads run on two CPUs. In `same` they share one CPU, where the sender cannot
      run during the callback, so the time ends when the sender runs again. Here the sender waits for
      each answer before it sends again, so no backlog forms.

        schedule   due ── lag ── send ─────────┐
        loop       (asleep, or still busy) ─── callback
        paced      ├───────────────────────────┤
        .service                 ├─────────────┤  or from the previous callback, if that was later

      `paced` is an open loop: sends are due on a fixed schedule (--rate, --arrival). Its time counts
      from when a send was due, so a stall shows in every send that was due meanwhile. `.lag` is the
      lateness of the sender itself. A send that was late by more than an interval counts as missed.
      """
  )

  private static let pacedWake = Series(
    name: "paced",
    summary: "two CPUs, open loop: from when the send was due to the callback",
    workload: Workload(warmUps: 10, samples: 100, operations: 1),
    placement: .across,
    kind: .intended
  )

  private static let acrossWake = Series(
    name: "across",
    summary: "two CPUs, 50-100 us between sends: from before the send to the callback",
    workload: Workload(warmUps: 50, samples: 500, operations: 1),
    placement: .across
  )
}

/// The load of every `wake` peer.
package enum WakeLoad {
  /// The series that every peer of the scenario has, without companions.
  package static let series = ["across", "same", "same.low", "paced"]
}

/// The producer's side of `wake`, the same for every peer.
package final class WakePings {
  /// The argument of `cl_wake_answer`.
  package let pointer: OpaquePointer
  private let count: Int

  /// Allocates memory for the pings of `workload`.
  package init(workload: Workload) {
    count = workload.warmUps + workload.samples
    pointer = cl_wake_open(UInt32(count))
  }

  deinit {
    cl_wake_close(pointer)
  }

  /// Measures a slice: sends pings from a separate thread while the loop runs.
  ///
  /// - Parameters:
  ///   - send: Makes the loop call `cl_wake_answer`.
  ///   - stop: Ends `runLoop`. Called on the producer's thread after the last
  ///     answer.
  package func measure(
    _ slice: inout Slice,
    send: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
    context: UnsafeMutableRawPointer?,
    stop: @escaping @Sendable () -> Void,
    runLoop: () throws(PeerError) -> Void
  ) throws(PeerError) {
    let shared = UnsafeTransfer((pings: pointer, context: context))
    guard slice.series != "paced" else {
      let ping: @Sendable () -> Void = { send(shared.value.context) }
      return try measurePaced(&slice, send: ping, stop: stop, runLoop: runLoop)
    }
    // Before each ping, the sender spins for a random time from `pause` to twice
    // `pause`, in ns. If it is 0, the sender sends as soon as the previous ping was
    // answered.
    let pause: UInt64 = slice.series == "across" ? 50_000 : 0
    let isLow = slice.series == "same.low"
    let seed = slice.generator.next()
    let producer = try PlacedThread(cpu: slice.seats.producer) {
      if isLow { cl_thread_lower() }
      cl_wake_ping(shared.value.pings, pause, seed, send, shared.value.context)
      stop()
    }
    try producer.join(after: runLoop)
    record(into: &slice)
  }

  private func record(into slice: inout Slice) {
    let oneWay = cl_wake_one_way(pointer)
    let roundTrip = cl_wake_round_trip(pointer)
    let sent = cl_wake_sent(pointer)
    for index in slice.workload.warmUps..<count {
      let (began, answered) = (sent[index], sent[index] &+ oneWay[index])
      slice.note("send to answer", on: .producer, from: began, to: began &+ roundTrip[index])
      slice.note("callback", on: .loop, from: answered, to: answered)
      let isAcross = slice.series == "across"
      slice.record(nanoseconds: Double(isAcross ? oneWay[index] : roundTrip[index]))
      if isAcross {
        slice.record(nanoseconds: Double(roundTrip[index]), as: "across.roundtrip")
      }
    }
  }
}

extension WakePings {
  /// The time in ns that the loop gets to fall asleep before the schedule starts.
  private static let headStart: UInt64 = 1_000_000

  /// Measures `paced`, an open loop: the producer does not wait for answers.
  private func measurePaced(
    _ slice: inout Slice,
    send: @escaping @Sendable () -> Void,
    stop: @escaping @Sendable () -> Void,
    runLoop: () throws(PeerError) -> Void
  ) throws(PeerError) {
    let schedule = OpenLoopSchedule(count: count, pace: slice.pace, generator: &slice.generator)
    cl_wake_pace(pointer)
    let origin = cl_now() + Self.headStart
    let started = JoinResult<[UInt64]>()
    let pings = UnsafeTransfer(pointer)
    let producer = try PlacedThread(cpu: slice.seats.producer) {
      cl_sleep_precisely()
      started.value = schedule.follow(from: origin) { _ in
        cl_wake_announce(pings.value)
        send()
      }
      cl_wake_settle(pings.value)
      stop()
    }
    try producer.join(after: runLoop)
    let answers = (started.value ?? []).count { $0 != 0 }
    let ended = Array(UnsafeBufferPointer(start: cl_wake_one_way(pointer), count: answers))
    slice.record(schedule, from: origin, started: started.value ?? [], ended: ended)
  }
}
