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
    /// The work that the thread ran during the capture, if the program publishes it.
    fileprivate(set) var work: PublishedWork?
    let began: UInt64
    let ended: UInt64
    /// For how long the thread was stopped, in ns.
    let stopped: UInt64
    fileprivate(set) var problem: String?
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
  /// Why the work of the last captured stack has no name, and what to do.
  private(set) var workProblem: String?

  private let loop: EventLoop
  private let scheduler = OperationScheduler("stacks", workerLimit: 1)
  private var readers: [Int32: Locked<Readers>] = [:]
  private var unfinished: [ObjectIdentifier: AsyncTransaction] = [:]

  /// The readers of a process.
  fileprivate struct Readers {
    /// Nil until the first operation.
    var stacks: Result<StackReader, LoopbenchError>?
    let work: WorkReader
  }

  init(on loop: EventLoop) { self.loop = loop }

  /// The processes whose symbols are read.
  var processes: some Collection<Int32> { readers.keys }

  /// Begins to read the symbols of a process.
  func open(_ process: Int32) {
    guard readers[process] == nil else { return }
    let reader = Locked(Readers(work: WorkReader(process: process)))
    readers[process] = reader
    run {
      reader.withLock { readers in
        let opened = Result { () throws(LoopbenchError) in try StackReader(process: process) }
        readers.stacks = opened
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
      reader.withLock { $0.capture(thread.thread, waitBegan, isWaiting) }
    } completion: { [self] captured in
      if let captured { note(captured) }
      completion(captured)
    }
  }

  private func note(_ captured: Captured) {
    stops.total += captured.stopped
    stops.longest = max(stops.longest, captured.stopped)
    workProblem = captured.problem
    switch captured.outcome {
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

extension StackCaptures.Readers {
  /// Captures a stack, and reads the work before and after. Nil if there is neither.
  fileprivate func capture(
    _ thread: Int32,
    _ waitBegan: () -> UInt64?,
    _ isWaiting: @escaping @Sendable () -> Bool
  ) -> StackCaptures.Captured? {
    var (captured, work) = work.work(of: thread) { () -> StackCaptures.Captured? in
      guard case .success(let stacks) = stacks else { return nil }
      let began = lw_now()
      let (outcome, stopped) = stacks.capture(
        thread: thread,
        waited: waitBegan().map { began.since($0) } ?? 0,
        isWaiting: isWaiting
      )
      return StackCaptures.Captured(
        outcome: outcome,
        began: began,
        ended: lw_now(),
        stopped: stopped
      )
    }
    if captured == nil, work != nil {
      let now = lw_now()
      captured = StackCaptures.Captured(outcome: .nothing, began: now, ended: now, stopped: 0)
    }
    captured?.work = work
    if case .stack(let frames) = captured?.outcome {
      captured?.problem = self.work.problem(in: frames)
    }
    return captured
  }
}

extension WorkReader {
  /// Reads the work of a process.
  package convenience init(process: Int32) {
    self.init(
      maps: { ProcessFile("/proc/\(process)/maps")?.allBytes ?? [] },
      // Opened each time, because an open file has the memory from before exec.
      memory: { address, limit in
        let start = Int(truncatingIfNeeded: address)
        return ProcessFile("/proc/\(process)/mem")?.bytes(from: start, atMost: limit) ?? []
      },
      now: { lw_now() }
    )
  }
}
