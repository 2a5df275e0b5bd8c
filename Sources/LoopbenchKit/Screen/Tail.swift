/// The comparison of the p99 of the answering peer with libuv's.
///
/// A round of few samples has no p99. The samples of all rounds are therefore pooled, and
/// the interval comes from resampling whole rounds.
package struct Tail: Equatable, Sendable {
  /// The path of the question's series: `wake/across`.
  package let path: String
  /// The peer's p99 divided by libuv's.
  package let ratio: Double
  /// The 95 % interval of the ratio.
  package let interval: Interval
  package let verdict: ComparisonVerdict
}

extension Measurements {
  /// The comparisons of the tails that answer `questions`, without those that have too
  /// few samples.
  package func tails(of questions: [Question]) -> [Tail] {
    questions.compactMap { question in
      let twin = Question.reference + Contender.twinSuffix
      guard let ratio = ratio(of: Question.peer, in: question) else { return nil }
      let noise = self.ratio(of: twin, in: question)
      return Tail(
        path: question.path,
        ratio: ratio.value,
        interval: ratio.interval,
        verdict: ComparisonVerdict(
          ratio.interval,
          ratio: ratio.value,
          rounds: ratio.rounds,
          noise: noise?.interval
        )
      )
    }
  }

  /// Returns the ratio of the p99 of `peer` to libuv's, over the rounds that measured
  /// both.
  private func ratio(
    of peer: String,
    in question: Question
  ) -> (value: Double, interval: Interval, rounds: Int)? {
    let samples = [peer, Question.reference].map { name in
      tally(scenario: question.scenario, series: question.series, peer: name)?.samples ?? [:]
    }
    let rounds = samples[0].keys.filter { samples[1][$0] != nil }.sorted()
    let pooled = samples.map { samples in PooledRounds(rounds.compactMap { samples[$0] }) }
    return Bootstrap.ratio(of: pooled[0], to: pooled[1], at: .p99).map {
      ($0.value, $0.interval, rounds.count)
    }
  }
}
