public import Dispatch
public import LoopTransactions

extension HostExecutor {
  /// Describes a serial dispatch queue.
  ///
  /// Turns run as blocks of `queue`, behind its other blocks. The queue is
  /// retained. For the main queue, whose thread does not change, use
  /// `DispatchHost`.
  ///
  /// - Precondition: `queue` is serial. Two blocks of a concurrent queue would
  ///   use the loop at once.
  public init(_ queue: DispatchQueue) {
    let execute: Execute = { work in
      queue.async(execute: work)
      return true
    }
    self.init(execute: execute, executeLater: execute, keepsThread: false)
  }
}
