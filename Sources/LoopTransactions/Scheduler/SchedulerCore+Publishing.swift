// The operations that workers run, as readers of a `WorkSlot` see them.
extension SchedulerCore {
  /// Runs the batch of `worker`, and publishes each operation. X2.
  @inline(never)
  func runPublishedBatch(_ worker: Worker) -> Int {
    let slot = worker.claimSlot(name)
    return worker.claimEach { handle in
      let now = CycleClock.cycles
      slot?.begin(at: now)
      slot?.run(owner(of: handle).rawValue, at: now)
      run(handle, on: worker)
      slot?.end(at: CycleClock.cycles)
    }
  }

  /// Names the operation, which the caller has claimed. An operation without a
  /// name has the scheduler's.
  private func owner(of handle: OperationHandle) -> OwnerWord {
    switch handle.node.pointee.content {
    case .owner(let owner): OwnerWord(.operation, WorkName(owner.title))
    case .job: OwnerWord(.job, WorkName(name))
    case .body: OwnerWord(.operation, WorkName(name))
    case nil: OwnerWord(.operation, WorkName(name))
    }
  }
}
