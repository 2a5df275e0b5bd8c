public import LoopTransactions

extension SteppedLoop {
  /// Creates a stepped loop in a synchronous test.
  ///
  /// Call on the thread that will step the loop, like all other functions of
  /// this type.
  ///
  /// - Parameters:
  ///   - seed: Shuffles timers that are due at the same instant, and the steps
  ///     of the loop and of its stepped schedulers. It also chooses how long
  ///     operations take. If nil, timers fire in the order in which they were
  ///     started, and operations finish in the order in which they begin.
  ///   - isolation: The actor of the test. Keep the default.
  ///   - fileID: The file that creates the loop. Keep the default.
  ///   - line: The line that creates the loop. Keep the default.
  /// - Throws: `UVError` if the system is out of descriptors.
  public convenience init(
    seed: UInt64? = nil,
    isolation: (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws(UVError) {
    try self.init(
      steps: StepChoices(seed: seed),
      isolation: isolation,
      place: "\(fileID):\(line)"
    )
  }

  /// Creates a stepped loop in an `async` test.
  ///
  /// Call in a function that is isolated to an actor, such as one marked
  /// `@MainActor`. Use the loop on that actor only. Works like the synchronous
  /// initializer.
  ///
  /// - Throws: `IsolationError` if the caller is not isolated to an actor.
  ///   `UVError` if the system is out of descriptors.
  public convenience init(
    seed: UInt64? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws {
    try Self.checkIsolated("init", isolation)
    try self.init(
      steps: StepChoices(seed: seed),
      isolation: isolation,
      place: "\(fileID):\(line)"
    )
  }

  /// Creates a stepped loop that repeats the order of another loop, in a
  /// synchronous test.
  ///
  /// Call on the thread that will step the loop.
  ///
  /// - Parameters:
  ///   - choices: The `choices` of the other loop. Later choices are 0. A
  ///     choice that is not possible in this run traps.
  ///   - isolation: The actor of the test. Keep the default.
  ///   - fileID: The file that creates the loop. Keep the default.
  ///   - line: The line that creates the loop. Keep the default.
  /// - Throws: `UVError` if the system is out of descriptors.
  /// - Precondition: No choice is negative.
  public convenience init(
    choices: [Int],
    isolation: (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws(UVError) {
    try self.init(
      steps: StepChoices(script: choices),
      isolation: isolation,
      place: "\(fileID):\(line)"
    )
  }

  /// Creates a stepped loop that repeats the order of another loop, in an
  /// `async` test.
  ///
  /// Call in a function that is isolated to an actor. Use the loop on that
  /// actor only. Works like the synchronous initializer.
  ///
  /// - Throws: `IsolationError` if the caller is not isolated to an actor.
  ///   `UVError` if the system is out of descriptors.
  public convenience init(
    choices: [Int],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws {
    try Self.checkIsolated("init", isolation)
    try self.init(
      steps: StepChoices(script: choices),
      isolation: isolation,
      place: "\(fileID):\(line)"
    )
  }
}
