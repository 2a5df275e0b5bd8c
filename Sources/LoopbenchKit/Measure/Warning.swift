/// Something a reader should know before believing a figure.
package struct Warning: Codable, Equatable, Sendable {
  /// Stays the same from version to version: `debug-build`.
  package let id: String
  /// What was found.
  package let text: String
  /// What to do about it.
  package let hint: String
}

extension Warning {
  static let debugBuild = Warning(
    id: "debug-build",
    text: "this is a debug build: its figures say nothing about a release",
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
      hint: "loopbench list shows which scenario has which peers"
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
      hint: "loopbench list shows what each peer needs"
    )
  }

  static func disturbedRounds(_ rounds: [RoundSummary], of count: Int) -> Warning {
    let slices = rounds.reduce(0) { $0 + $1.disturbed.count }
    return Warning(
      id: "disturbed",
      text: "\(rounds.count) of \(count) rounds had disturbed slices (\(slices) in all):"
        + " steal, migrations or involuntary switches above 3 times the usual",
      hint: "run on a quieter machine, or compare without them: --drop-disturbed"
    )
  }

  /// A contender that is left out of the rounds after it failed.
  package static func peerFailed(_ failure: PeerFailure) -> Warning {
    Warning(
      id: "peer-failed",
      text: "\(failure)",
      hint: "the rounds before are shown; run it alone to see more"
    )
  }

  /// A run that ended before its last round.
  package static func endedEarly(_ reason: Interruption.Reason) -> Warning {
    let (id, cause, hint) =
      switch reason {
      case .interrupted: ("interrupted", "the run was interrupted", "let it end")
      case .timedOut: ("timed-out", "--timeout ended the run", "give it more time")
      }
    return Warning(
      id: id,
      text: "\(cause): its last round may be a part of one",
      hint: "\(hint), or ask for less with --duration"
    )
  }

  /// Of a background load that did not last.
  static func loadEnded(_ load: String, status: Int) -> Warning {
    Warning(
      id: "load-ended",
      text: "the load \(load) ended before the run, with status \(status)",
      hint: "give it more to do: what was measured after it had no load"
    )
  }

  /// Of a run that waits for its answers.
  static let closedLoop = Warning(
    id: "closed-loop",
    text: "closed: a send waits for the answer before, so a stall hides what it delays",
    hint: "believe its throughput, not its tail; without --closed there is one"
  )

  static func fewRounds(_ rounds: Int) -> Warning {
    Warning(
      id: "few-rounds",
      text: "\(rounds) of at least \(RoundCount.least) rounds: too few for a median of ratios",
      hint: "use --rounds \(RoundCount.least) or more"
    )
  }
}
