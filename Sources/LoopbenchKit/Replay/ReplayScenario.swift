extension Scenario {
  /// Playing a recorded load, at its own times, whoever keeps up.
  public static func replay(_ replay: Replay) -> Scenario {
    let performed = Series(
      name: "performed",
      summary: "from when a commit was due until its action was performed",
      effort: Effort(warmUps: 0, samples: max(1, replay.entries.count), operations: 1),
      placement: .across,
      kind: .intended
    )
    return Scenario(
      name: "replay",
      summary:
        "a recorded load of \(replay.entries.count) commits, \(replay.producers.count) threads,"
        + " \(replay.actions.count) actions",
      series: [
        performed,
        Series(
          name: "performed.service",
          summary: "the same, from the commit, or from the end of the action before if later",
          recordedWith: performed,
          kind: .service
        ),
        Series(
          name: "performed.lag",
          summary: "from when a commit was due to the commit: how late the player itself was",
          recordedWith: performed,
          kind: .lag
        ),
        Series(
          name: "tick",
          summary: "from a tick's first action until the loop is about to wait again",
          recordedWith: performed,
          kind: .service
        ),
      ],
      details: ScenarioDetails.replay
    )
  }
}

extension Registry {
  /// The scenario `replay` of one recorded load, and the peers that play it.
  public static func replay(_ replay: Replay) -> Registry {
    Registry(
      scenarios: [.replay(replay)],
      peers: [
        QueueReplay<UVQueue>(replay: replay),
        LTReplay(replay: replay),
        QueueReplay<DispatchedQueue>(replay: replay),
      ]
    )
  }
}
