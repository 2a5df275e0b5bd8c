import LoopTransactions
import LoopTransactionsMain
import Testing

@testable import LoopTransactionsMainTesting

@MainActor
@Test("a main-actor test runs on EventLoop.main, also after it slept", .onLoop)
func onLoop() async throws {
  try await Task.sleep(for: .milliseconds(1))
  #expect(EventLoop.current === EventLoop.main)
}

@MainActor
@Suite(.onLoop)
struct OnLoopTests {
  struct Inner {
    @Test("the trait of a suite applies to its inner suites, and calls their tests")
    func calls() { #expect(Test.current?.traits.contains { $0 is OnLoopTrait } == true) }
  }
}

@Test("a test whose main actor is not on the loop fails with the reason, and is not called")
func offLoop() async throws {
  let test = try #require(Test.current)
  try await withKnownIssue {
    try await OnLoopTrait { "no loop" }.provideScope(for: test, testCase: nil) {
      Issue.record("called")
    }
  } matching: { issue in
    issue.comments.map(\.rawValue) == ["no loop"]
  }
}
