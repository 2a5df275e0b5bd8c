public import LoopTransactions

/// An operation scheduler without threads, whose operations run when a stepped
/// loop is stepped.
///
/// Pass its `scheduler` to the code under test. Operations, serial queues,
/// async transactions, single flights and tasks that await
/// `OperationScheduler.run` then take their steps on the thread of the test.
/// The seed of the `SteppedLoop` determines the order, or
/// `SteppedLoop.forEachOrder` tries every order.
///
/// The scheduler picks operations like every other scheduler: by priority, and
/// the oldest one in its turn. The order is free where threads are free: when a
/// worker begins an operation, when it finishes it, when it goes to sleep, and
/// when the loop makes a tick. The body of an operation runs in the step that
/// finishes it. Between the two steps the operation can no longer be moved. If it
/// is cancelled there, its body still runs, with `isCancelled` set.
///
/// While a body runs, the loop belongs to no thread, so a body that uses the
/// loop instead of its port traps. A body must not block until another
/// operation has run. It may call `LoopPort.postAndWait`.
///
/// The process-wide limit on workers does not apply.
///
/// ```swift
/// let stepped = try SteppedLoop(seed: 7)
/// let saver = Saver(on: stepped.loop, SteppedScheduler(on: stepped).scheduler)
/// saver.textChanged("draft")
/// stepped.advance(by: .seconds(2))
/// #expect(saver.saved == ["draft"])
/// try stepped.close()
/// ```
public final class SteppedScheduler {
  /// The scheduler under test.
  public let scheduler: OperationScheduler

  private let stepped: SteppedLoop
  private let workers: SteppedWorkers

  /// Creates a scheduler that is stepped with a loop, until the loop is closed.
  ///
  /// Call on the loop.
  ///
  /// - Parameters:
  ///   - name: The name used in messages.
  ///   - stepped: The loop.
  ///   - workerLimit: How many operations may have begun at once. With the
  ///     default, eight operations of equal priority finish in any order.
  ///   - operationTime: How long an operation takes on the loop's clock. A
  ///     seed chooses a duration in the range. `forEachOrder` tries the
  ///     shortest and the longest. By default an operation takes no time.
  /// - Precondition: `workerLimit` is positive, and `operationTime` is not
  ///   negative.
  public init(
    _ name: String = "stepped",
    on stepped: SteppedLoop,
    workerLimit: Int = 8,
    operationTime: ClosedRange<Duration> = .zero ... .zero
  ) {
    stepped.loop.checkUsable("SteppedScheduler.init")
    require(
      workerLimit > 0,
      "SteppedScheduler.init: workerLimit must be positive, got \(workerLimit)"
    )
    require(
      operationTime.lowerBound >= .zero,
      "SteppedScheduler.init: operationTime must not be negative, got \(operationTime)"
    )
    let (time, steps) = (stepped.time, stepped.steps)
    let range = operationTime.lowerBound.nanoseconds...operationTime.upperBound.nanoseconds
    workers = SteppedWorkers(
      choose: { steps.choose($0) },
      isTimed: range.upperBound > 0,
      finishTime: { time.nanoseconds &+ steps.choose(in: range) }
    )
    scheduler = OperationScheduler(name, workerLimit: workerLimit, steppedBy: workers)
    self.stepped = stepped
    stepped.workers.append(workers)
  }

  /// Whether no operation can take a step at the current time.
  ///
  /// Call on the loop.
  public var isIdle: Bool {
    stepped.wasInspected = true
    return workers.isIdle(at: stepped.loop.now.nanoseconds)
  }

  /// Lets one worker take a step: it begins an operation, or finishes one. The
  /// loop makes no tick. Returns false if there is no step to take.
  ///
  /// Call on the loop. `SteppedLoop.runUntilIdle` and `SteppedLoop.advance` take
  /// steps by themselves.
  @discardableResult
  public func step() -> Bool { stepped.takeStep(of: workers) }
}

extension Duration {
  /// The duration in whole nanoseconds, at most 292 years. Must not be
  /// negative.
  fileprivate var nanoseconds: UInt64 {
    let origin = LoopClock.Instant(nanoseconds: 0)
    return min(origin.advanced(by: self).nanoseconds, UInt64(Int64.max))
  }
}
