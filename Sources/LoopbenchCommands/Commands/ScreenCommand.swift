import LoopbenchKit

extension Invocation {
  /// The questions of a run that prints one screen. Empty if the run prints tables.
  func questions() throws(LoopbenchError) -> [Question] {
    guard options.command == .compareLibuv else { return [] }
    let questions = Question.answerable(by: context.registry)
    guard !questions.isEmpty else {
      throw .unavailable(
        "\(context.programName) does not have the series that are compared with libuv; run loopbench"
          + " compare-libuv"
      )
    }
    return questions
  }
}

extension RunPlan {
  /// The plan of a run that answers `questions`, within 20 s in all. A file that it
  /// writes contains the series of the questions.
  init(_ options: Options, registry: Registry, answering questions: [Question]) throws {
    guard !questions.isEmpty else {
      self = try RunPlan(options, registry: registry)
      return
    }
    var asked = options
    asked.series = questions.map(\.path)
    asked.peers = [Question.peer, Question.reference]
    let isLimited = options.duration == nil && options.rounds == nil && options.samples == nil
    if isLimited { (asked.duration, asked.rounds) = (Self.screenNs, RoundCount.most) }
    self = try RunPlan(asked, registry: registry.answering(questions))
  }

  // 18 s: the last slice, which may begin at the end of that time, and the report need
  // the rest of the 20 s.
  private static let screenNs: UInt64 = 18_000_000_000
}
