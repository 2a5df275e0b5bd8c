// The operations that workers run, as readers of a `WorkSlot` see them.
extension SchedulerCore {
  /// Runs the batch of `worker`, and publishes each operation. X2.
  @inline(never)
  func runPublishedBatch(_ worker: Worker) -> Int {
    let slot = worker.claimSlot(name)
    let ring = TraceThread.workerRing(name)
    if let ring { traceCounters(in: ring) }
    return worker.claimEach { handle in
      let now = CycleClock.cycles
      let owner = owner(of: handle, on: worker).rawValue
      slot?.begin(owner, at: now)
      ring?.writer.append(
        TraceEvent(.spanBegin, at: now, name: owner, value: traceKey(of: handle), depth: 2)
      )
      run(handle, on: worker)
      let end = CycleClock.cycles
      slot?.end(at: end)
      ring?.writer.append(TraceEvent(.spanEnd, at: end, depth: 2))
    }
  }

  /// The key of the arrow to the operation, which the caller has claimed.
  private func traceKey(of handle: OperationHandle) -> UInt64 {
    handle.node.pointee.content?.traceKey ?? handle.traceKey
  }

  /// Names the operation, which the caller has claimed. An operation without a
  /// name has the scheduler's.
  private func owner(of handle: OperationHandle, on worker: Worker) -> OwnerWord {
    switch handle.node.pointee.content {
    case .owner(let owner): OwnerWord(.operation, worker.workName(owner.title))
    case .job: OwnerWord(.job, workName.value(name))
    case .body: OwnerWord(.operation, workName.value(name))
    case nil: OwnerWord(.operation, workName.value(name))
    }
  }
}
