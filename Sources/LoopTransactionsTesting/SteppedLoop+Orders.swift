extension SteppedLoop {
  /// Runs a test once for every order in which the loop and its stepped
  /// schedulers can take their steps.
  ///
  /// Call on any thread. Each run has a loop of its own, which is closed after
  /// it. The steps of each run must depend on the order only. Orders that differ
  /// only in when a worker dequeues an operation are visited if that can make a
  /// difference.
  ///
  /// Six operations without priorities, on at least six workers, have 720
  /// orders.
  ///
  /// ```swift
  /// try SteppedLoop.forEachOrder { stepped in
  ///   let saver = Saver(on: stepped.loop, SteppedScheduler(on: stepped).scheduler)
  ///   saver.save("a")
  ///   saver.save("b")
  ///   stepped.runUntilIdle()
  ///   #expect(saver.stored == "b", "\(stepped.choices)")
  /// }
  /// ```
  ///
  /// - Parameter limit: The largest number of orders.
  /// - Returns: The number of orders.
  /// - Throws: `OrderError` if the test throws, has too many orders, or cannot
  ///   be repeated.
  @discardableResult
  public static func forEachOrder(
    limit: Int = 100_000,
    _ body: (SteppedLoop) throws -> Void
  ) throws -> Int {
    var orders = Orders(limit, nil)
    repeat {
      let stepped = try orders.next()
      do { try body(stepped) } catch { throw orders.failure(of: stepped, error) }
      try orders.end(stepped)
    } while orders.advance()
    return orders.count
  }

  /// Runs an asynchronous test once for every order in which the loop and its
  /// stepped schedulers can take their steps.
  ///
  /// Call on the main actor. Works like the synchronous `forEachOrder`.
  @discardableResult
  public nonisolated(nonsending) static func forEachOrder(
    limit: Int = 100_000,
    _ body: nonisolated(nonsending) (SteppedLoop) async throws -> Void
  ) async throws -> Int {
    var orders = Orders(limit, #isolation)
    repeat {
      let stepped = try orders.next()
      do { try await body(stepped) } catch { throw orders.failure(of: stepped, error) }
      try orders.end(stepped)
    } while orders.advance()
    return orders.count
  }
}

/// The runs of `forEachOrder`.
private struct Orders {
  private let limit: Int
  private let isolation: (any Actor)?
  private var explorer = OrderExplorer()
  private var last: [StepChoices.Choice] = []
  private(set) var count = 0

  init(_ limit: Int, _ isolation: (any Actor)?) {
    self.limit = limit
    self.isolation = isolation
  }

  /// Creates the loop of the next run.
  mutating func next() throws -> SteppedLoop {
    guard count < limit else { throw SteppedLoop.OrderError.tooManyOrders(limit: limit) }
    count += 1
    return try SteppedLoop(steps: StepChoices(script: explorer.script), isolation: isolation)
  }

  /// Closes the loop of a run.
  mutating func end(_ stepped: SteppedLoop) throws {
    do { if !stepped.isClosed { try stepped.close() } } catch { throw failure(of: stepped, error) }
    last = stepped.steps.path
    if stepped.steps.hasDiverged || last.count < explorer.script.count {
      throw SteppedLoop.OrderError.notRepeatable(choices: explorer.script)
    }
  }

  mutating func advance() -> Bool { explorer.advance(after: last) }

  func failure(of stepped: SteppedLoop, _ error: any Error) -> SteppedLoop.OrderError {
    // `try?`: the test has failed already, with the error that counts.
    if !stepped.isClosed { try? stepped.close() }
    return .failed(choices: stepped.choices, error)
  }
}
