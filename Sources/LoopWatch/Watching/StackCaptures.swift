internal import CLoopWatch
import LoopTransactions
import LoopbenchKit

/// Captures stacks on a thread of its own, so that the watch goes on while the symbols of
/// a large program are read.
///
/// Loop only.
final class StackCaptures {
  /// A captured stack and the time of its capture.
  struct Captured: Sendable {
    let outcome: StackReader.Outcome
    let began: UInt64
    let ended: UInt64
  }

  /// The threads that were stopped.
  struct Stops {
    var count = 0
    /// In ns.
    var total: UInt64 = 0
    var longest: UInt64 = 0
  }

  private(set) var stops = Stops()
  /// Why stacks cannot be captured, and what to do.
  private(set) var error: String?

  private let loop: EventLoop
  private let scheduler = OperationScheduler("stacks", workerLimit: 1)
  private var readers: [Int32: Reader] = [:]
  private var unfinished: [ObjectIdentifier: AsyncTransaction] = [:]

  /// A process's reader, which the first operation opens.
  private typealias Reader = Locked<Result<StackReader, LoopbenchError>?>

  init(on loop: EventLoop) { self.loop = loop }

  /// The processes whose symbols are read.
  var processes: some Collection<Int32> { readers.keys }

  /// Begins to read the symbols of a process.
  func open(_ process: Int32) {
    guard readers[process] == nil else { return }
    let reader = Reader(nil)
    readers[process] = reader
    run {
      reader.withLock { opened in
        opened = Result { () throws(LoopbenchError) in try StackReader(process: process) }
        if case .failure(let error) = opened { return error.description }
        return nil
      }
    } completion: { [self] message in
      error = message ?? error
    }
  }

  /// Captures the stack of a thread.
  ///
  /// - Parameters:
  ///   - waitBegan: Returns the time at which the thread's wait in a nested loop began, or
  ///     began again after a stop. Called on another thread, as is `isWaiting`.
  ///   - isWaiting: See `StackReader.capture`.
  ///   - completion: Called on the loop, with nil if the process cannot be read.
  func capture(
    _ thread: RecordedThread,
    waitBegan: @escaping @Sendable () -> UInt64?,
    isWaiting: @escaping @Sendable () -> Bool,
    completion: @escaping (Captured?) -> Void
  ) {
    guard let reader = readers[thread.process] else { return completion(nil) }
    run {
      reader.withLock { reader -> (Captured, UInt64)? in
        guard case .success(let reader) = reader else { return nil }
        let began = lw_now()
        let (outcome, stopped) = reader.capture(
          thread: thread.thread,
          waited: waitBegan().map { began.since($0) } ?? 0,
          isWaiting: isWaiting
        )
        return (Captured(outcome: outcome, began: began, ended: lw_now()), stopped)
      }
    } completion: { [self] result in
      if let (captured, stopped) = result { note(captured.outcome, stopped) }
      completion(result?.0)
    }
  }

  private func note(_ outcome: StackReader.Outcome, _ stopped: UInt64) {
    stops.total += stopped
    stops.longest = max(stops.longest, stopped)
    switch outcome {
    case .stack: stops.count += 1
    case .refused(let reason): error = reason
    case .nothing: break
    }
  }

  /// Waits for the captures that have begun, and calls their completions.
  func finish() {
    for transaction in unfinished.values { transaction.waitUntilComplete() }
  }

  private func run<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value,
    completion: @escaping (Value) -> Void
  ) {
    let transaction = AsyncTransaction(on: loop, name: "capture", scheduler: scheduler)
    let key = ObjectIdentifier(transaction)
    unfinished[key] = transaction
    transaction.add { _ in
      body()
    } completion: { [self] outcome in
      unfinished[key] = nil
      if case .value(let value) = outcome { completion(value) }
    }
    transaction.commit()
  }
}
