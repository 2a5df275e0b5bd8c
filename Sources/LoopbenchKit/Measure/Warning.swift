/// A reason to doubt a result.
package struct Warning: Codable, Equatable, Sendable {
  /// An identifier that does not change between versions: `debug-build`.
  package let id: String
  /// The problem.
  package let text: String
  /// The advice.
  package let hint: String
}

extension Warning {
  /// The word beside each verdict that the problem makes unreliable. Nil if verdicts
  /// stay reliable.
  package var spoil: String? { Self.spoils[id] }

  private static let spoils = ["debug-build": "debug", "load": "busy", "cgroup": "throttled"]

  /// Returns the warning that the time was up in the first round.
  static func unfinished(_ measured: Int, of turns: Int) -> Warning {
    Warning(
      id: "unfinished",
      text: "the time was up after \(measured) of the \(turns) turns of a round",
      hint: "use a longer --duration, or fewer --peers or --series"
    )
  }

  static let debugBuild = Warning(
    id: "debug-build",
    text: "this is a debug build: its results do not apply to a release build",
    hint: "build with swift build -c release"
  )

  static func seriesUnavailable(_ series: String, reason: String) -> Warning {
    Warning(
      id: "series-unavailable",
      text: "\(series) is unavailable: \(reason)",
      hint: "run on a machine, or in a container, that allows it"
    )
  }

  static func peerSkipped(_ peer: String, in scenario: String) -> Warning {
    Warning(
      id: "peer-skipped",
      text: "\(scenario) has no peer \"\(peer)\" and was measured without it",
      hint: "loopbench list shows the peers of each scenario"
    )
  }

  static func peerLacksSeries(
    _ peer: String,
    in scenario: String,
    only series: String
  ) -> Warning {
    Warning(
      id: "peer-skipped",
      text: "\(scenario) was measured without peer \"\(peer)\", which measures only \(series)",
      hint: "name one of these series with --series"
    )
  }

  static func peerUnavailable(
    _ peer: String,
    in scenario: String,
    reason: String
  ) -> Warning {
    Warning(
      id: "peer-unavailable",
      text: "\(scenario) was measured without peer \"\(peer)\": \(reason)",
      hint: "loopbench list shows the requirements of each peer"
    )
  }

  static func disturbedRounds(_ rounds: [RoundSummary], of count: Int) -> Warning {
    let slices = rounds.reduce(0) { $0 + $1.disturbed.count }
    return Warning(
      id: "disturbed",
      text: "\(rounds.count) of \(count) rounds had disturbed slices (\(slices) in all):"
        + " steal, migrations or involuntary switches above 3 times the usual",
      hint: "run on a quieter machine"
    )
  }

  /// Returns the warning that a contender failed and is left out of later rounds.
  package static func peerFailed(_ failure: PeerError) -> Warning {
    Warning(
      id: "peer-failed",
      text: "\(failure)",
      hint: "the report contains the rounds before the failure; measure this peer alone to see more"
    )
  }

  /// Returns the warning that the run ended before its last round.
  package static func endedEarly(_ reason: Interruption.Reason) -> Warning {
    let (id, cause, hint) =
      switch reason {
      case .interrupted: ("interrupted", "the run was interrupted", "let the run end")
      case .timedOut: ("timed-out", "--timeout ended the run", "increase the timeout")
      }
    return Warning(
      id: id,
      text: "\(cause): its last round may be incomplete",
      hint: "\(hint), or measure for a shorter time with --duration"
    )
  }

  /// Returns the warning that a background load ended before the run did.
  static func loadEnded(_ load: String, status: Int) -> Warning {
    Warning(
      id: "load-ended",
      text: "the load \(load) ended before the run, with status \(status)",
      hint: "later measurements had no load; use a load that runs longer"
    )
  }

  /// - Parameter isSlowed: Whether there would have been more rounds without the load of
  ///   other processes.
  static func fewRounds(_ rounds: Int, isSlowed: Bool) -> Warning {
    Warning(
      id: "few-rounds",
      text: "\(rounds) of at least \(RoundCount.least) rounds: too few for a median of ratios",
      hint: isSlowed
        ? "measure again without the load, which makes rounds longer"
        : "use --rounds \(RoundCount.least) or more"
    )
  }
}
