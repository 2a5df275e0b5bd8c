extension SteppedLoop {
  /// Runs a test once for every order in which the loop and its stepped
  /// schedulers can take their steps, and in which timers that are due at the
  /// same instant can fire.
  ///
  /// Call on any thread. Each run has a loop of its own, which is closed after
  /// it. The steps of each run must depend on the order only. Orders that differ
  /// only in when a worker dequeues an operation are visited if that can make a
  /// difference: if operations have different priorities, or if the test adds,
  /// cancels, moves or awaits operations meanwhile. Of the times that an
  /// operation can take, the shortest and the longest are tried.
  ///
  /// The number of orders grows with the factorial of the number of operations.
  /// The six operations of one transaction take 720 runs. So do six timers that
  /// are due at the same instant. Six separate transactions took 23,040 runs,
  /// because a tick can follow each operation except the last. Each such choice
  /// doubles the number.
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
  /// - Parameters:
  ///   - limit: The largest number of runs.
  ///   - body: The test. Receives the loop of the run.
  /// - Returns: The number of orders. A few runs may repeat one, and are not
  ///   counted.
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
    // `next()` checks the isolation. With a check here, Swift 6.3 crashes when it
    // optimizes this function for testing.
    var orders = Orders(limit, #isolation, isAsync: true)
    repeat {
      let stepped = try orders.next()
      do { try await body(stepped) } catch { throw orders.failure(of: stepped, error) }
      try orders.end(stepped)
    } while orders.advance()
    return orders.count
  }
}

extension SteppedLoop {
  /// Like `forEachOrder`, but visits orders that only repeat others too. To test
  /// which orders are left out.
  @discardableResult
  package static func forEachSequence(
    limit: Int,
    _ body: (SteppedLoop) throws -> Void
  ) throws -> Int {
    var orders = Orders(limit, prunes: false, nil)
    repeat {
      let stepped = try orders.next()
      do { try body(stepped) } catch { throw orders.failure(of: stepped, error) }
      try orders.end(stepped)
    } while orders.advance()
    return orders.count
  }
}

/// The runs of `forEachOrder`.
private struct Orders {
  private let limit: Int
  private let isolation: (any Actor)?
  private let isAsync: Bool
  private let exploration: OrderExploration
  private var runs = 0
  /// The number of orders.
  private(set) var count = 0

  init(_ limit: Int, prunes: Bool = true, _ isolation: (any Actor)?, isAsync: Bool = false) {
    self.limit = limit
    self.isAsync = isAsync
    exploration = OrderExploration(prunes: prunes)
    self.isolation = isolation
  }

  /// Creates the loop of the next run.
  mutating func next() throws -> SteppedLoop {
    if isAsync { try SteppedLoop.checkIsolated("forEachOrder", isolation) }
    runs += 1
    guard runs <= limit else { throw SteppedLoop.OrderError.tooManyOrders(limit: limit) }
    return try SteppedLoop(steps: StepChoices(exploration: exploration), isolation: isolation)
  }

  /// Closes the loop of a run.
  mutating func end(_ stepped: SteppedLoop) throws {
    do { if !stepped.isClosed { try stepped.close() } } catch { throw failure(of: stepped, error) }
    if exploration.hasDiverged {
      throw SteppedLoop.OrderError.notRepeatable(choices: exploration.script)
    }
    if !exploration.isRepeated { count += 1 }
  }

  func advance() -> Bool { exploration.advance() }

  func failure(of stepped: SteppedLoop, _ error: any Error) -> SteppedLoop.OrderError {
    // `try?`: the test has failed already, with the error that counts.
    if !stepped.isClosed { try? stepped.close() }
    return .failed(choices: stepped.choices, error)
  }
}
