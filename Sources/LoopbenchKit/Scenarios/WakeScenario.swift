extension Scenario {
  /// Waking a loop that sleeps.
  ///
  /// On one CPU there are two cases, which differ in what the kernel does with
  /// the sender. One of the loop's own priority is left to finish its send, and
  /// the loop runs when it sleeps: `same` (Linux 6.18: 1 to 9 of 100 sends
  /// preempted). One of lower priority, as a thread for background work has, loses
  /// the CPU to the loop it wakes: `same.low`. Only there does `uv_async_send` of
  /// libuv 1.44 make the loop spin; a kernel that preempts sooner shows it in
  /// `same` too.
  public static let wake = Scenario(
    name: "wake",
    summary: "another thread hands one thing to a sleeping loop, which answers",
    series: [
      acrossWake,
      Series(
        name: "across.roundtrip",
        summary: "the same, until the sender, who slept, runs again",
        recordedWith: acrossWake
      ),
      Series(
        name: "same",
        summary: "one CPU, ping-pong, sender seldom preempted: before the send until it runs again",
        effort: Effort(warmUps: 50, samples: 500, operations: 1),
        placement: .same
      ),
      Series(
        name: "same.low",
        summary: "the same from a sender of the lowest priority: preempted in the send",
        effort: Effort(warmUps: 20, samples: 200, operations: 1),
        placement: .same
      ),
      pacedWake,
      Series(
        name: "paced.service",
        summary: "the same, from the send, or from the previous callback if that was later",
        recordedWith: pacedWake,
        kind: .service
      ),
      Series(
        name: "paced.lag",
        summary: "from when the send was due to the send: how late the sender itself was",
        recordedWith: pacedWake,
        kind: .lag
      ),
    ],
    extras: [.processorUse],
    details: ScenarioDetails.wake
  )

  private static let pacedWake = Series(
    name: "paced",
    summary: "two CPUs, open loop: from when the send was due to the callback",
    effort: Effort(warmUps: 10, samples: 100, operations: 1),
    placement: .across,
    kind: .intended
  )

  private static let acrossWake = Series(
    name: "across",
    summary: "two CPUs, 50-100 us between sends: from before the send to the callback",
    effort: Effort(warmUps: 50, samples: 500, operations: 1),
    placement: .across
  )
}

/// How the pings of `wake` are spaced.
package enum WakeLoad {
  /// The series every peer of the scenario has, besides companions.
  package static let series = ["across", "same", "same.low", "paced", Series.closedName]

  /// The least time, in ns, that the sender spins before each ping of `series`;
  /// the most is twice that. 0: it sends as soon as it was answered.
  package static func pause(before series: String) -> UInt64 { series == "across" ? 50_000 : 0 }

  /// Whether the sender of `series` has a lower priority than the loop.
  package static func isLow(_ series: String) -> Bool { series == "same.low" }
}
