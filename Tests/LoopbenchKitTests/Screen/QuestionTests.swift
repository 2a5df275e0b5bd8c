import LoopbenchKit
import LoopbenchTestSupport
import Testing

@Suite("Question")
struct QuestionTests {
  @Test("the standard registry answers every question, and another registry none")
  func answered() {
    #expect(Question.answerable(by: .standard) == Question.standard)
    #expect(Question.answerable(by: Fixture().registry) == [])
  }

  @Test("a question sets the number of samples of its series")
  func samples() throws {
    let registry = Registry.standard.answering(Question.standard)
    for question in Question.standard {
      let series = registry.scenarios.first { $0.name == question.scenario }?.series
      let found = try #require(series?.first { $0.name == question.series })
      if let samples = question.samples { #expect(found.workload.samples == samples) }
      #expect(found.workload.samples * RoundCount.least > 100, "the worst 1 % of \(question.path)")
    }
  }
}
