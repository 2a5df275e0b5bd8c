/// One thing that happens to a scheduler.
enum SchedulerStep: Equatable {
  case add(Int)
  case cancel(Int)
  case move(Int)
  /// A worker that is awake asks what comes next.
  case next(Int)
  /// A worker that sleeps notices its wake.
  case wakeUp(Int)
  /// A worker that sleeps has waited for too long.
  case timeOut(Int)
  /// A worker that sleeps and watches has a look, when others are held up.
  case monitor(Int)
  case yield(Int)
  /// The system has no thread left for a worker that was to start.
  case workerStartFailed(Int)
  /// The time has come to retry a start that was refused.
  case retry
  case interactive(Bool)
  case setLimit(Int)
  case close
  /// Another scheduler takes a permit, if one is left and nobody waits.
  case othersTake
  case othersGive
  /// The process's limit is changed.
  case setPermits(Int)
}
