/// One event in a scheduler.
enum SchedulerStep: Equatable {
  case add(Int)
  case cancel(Int)
  case move(Int)
  /// A worker that is awake asks for its next operation.
  case next(Int)
  /// A sleeping worker notices its wake.
  case wakeUp(Int)
  /// A sleeping worker's wait times out.
  case timeOut(Int)
  /// A sleeping worker that monitors checks for blocked workers.
  case monitor(Int)
  case yield(Int)
  /// The system refuses a thread for a new worker.
  case workerStartFailed(Int)
  /// A refused start is due to be retried.
  case retry
  case interactive(Bool)
  case setLimit(Int)
  case close
  /// Another scheduler takes a permit, if one is left and no request waits.
  case othersTake
  case othersGive
  /// The process's limit changes.
  case setPermits(Int)
}
