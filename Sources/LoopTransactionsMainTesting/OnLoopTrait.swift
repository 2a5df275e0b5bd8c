private import LoopTransactions
private import LoopTransactionsMain
public import Testing

/// A trait that requires the main actor to run on `EventLoop.main`.
///
/// Linking the module is enough to run all `@MainActor` tests of a package on
/// the loop, because the main actor has one executor per process. The trait
/// checks that. If the main actor does not run on `EventLoop.main`, the test
/// fails with a message that says what to do, and its body is not called.
///
/// Use it on a test, or on a suite for all tests in it. It does not isolate a
/// test to the main actor, so add `@MainActor`:
///
/// ```swift
/// @MainActor
/// @Test("a committed label is laid out before the loop waits", .onLoop)
/// func layout() async throws {
///   let label = Label()
///   EventLoop.main.commit(label, Label.layout)
///   try await Task.sleep(for: .milliseconds(1))
///   #expect(label.layouts == 1)
/// }
/// ```
///
/// A value: create and use it on any thread.
public struct OnLoopTrait: TestTrait, SuiteTrait, TestScoping {
  // Returns why the main actor does not run on the loop, or nil if it does.
  private let problem: @MainActor @Sendable () -> String?

  init(_ problem: @escaping @MainActor @Sendable () -> String? = { findProblem() }) {
    self.problem = problem
  }

  /// Always true: the tests of a suite and of its inner suites have the trait
  /// too.
  public var isRecursive: Bool { true }

  /// Calls `function`, which runs the test, if the main actor runs on
  /// `EventLoop.main`. Otherwise records an issue.
  ///
  /// Called by Swift Testing, on any thread.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    if let problem = await problem() {
      Issue.record("\(problem)", sourceLocation: test.sourceLocation)
    } else {
      try await function()
    }
  }
}

extension Trait where Self == OnLoopTrait {
  /// Requires the main actor to run on `EventLoop.main`.
  public static var onLoop: Self { Self() }
}

#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
  @MainActor
  private func findProblem() -> String? {
    // Checked first: reading `EventLoop.main` on another thread traps.
    if System.isMainThread, EventLoop.main === EventLoop.current { return nil }
    return """
      .onLoop: the main actor does not run on EventLoop.main; link LoopTransactionsMainTesting \
      into the program that runs the tests, and no other code that replaces the main actor's \
      executor
      """
  }
#else
  @MainActor
  private func findProblem() -> String? {
    """
    .onLoop: the main actor runs on EventLoop.main only on Linux with Swift 6.3; remove the trait, \
    and test with a SteppedLoop
    """
  }
#endif
