private import CNodeHost
private import LoopTransactions

extension NodeHost {
  /// Makes a promise, which Swift code settles on any thread.
  ///
  /// Call on the environment's thread.
  ///
  /// - Throws: A `NodeError` if the environment has ended.
  public func makePromise() throws(NodeError) -> NodePromise {
    if isEnding { throw .environmentEnded }
    var (deferred, promise): (OpaquePointer?, OpaquePointer?)
    var reference: OpaquePointer?
    try check(lt_napi_create_promise(environment, &deferred, &promise), environment)
    try check(lt_napi_create_reference(environment, promise, 1, &reference), environment)
    let number = nextNumber()
    promises[number] = OpenPromise(deferred: deferred, reference: reference)
    promiseWasMade()
    return NodePromise(link: link, number: number)
  }

  /// Settles a promise together with others, when the loop performs its transactions.
  func settleLater(_ number: Int, _ result: Result<NodeValue, NodeError>) {
    settled.append(Settlement(number: number, result: result))
    loop.commit(self, Self.settling)
  }

  /// Forgets that Swift code holds a promise.
  func releasePromise(_ number: Int) {
    guard let reference = promises[number]?.reference.take() else { return }
    lt_napi_delete_reference(environment, reference)
    forget(number)
  }

  private static let settling = Selector<NodeHost>("settle") { $0.settle() }

  // One callback, so that JavaScript's reactions run once, after all promises are settled.
  private func settle() {
    let batch = settled
    settled = []
    // `try?`: fails only if JavaScript cannot run any more.
    try? inCallback { () throws(NodeError) in
      for settlement in batch { settle(settlement) }
    }
  }

  private func settle(_ settlement: Settlement) {
    guard let deferred = promises[settlement.number]?.deferred.take() else { return }
    promises[settlement.number]?.task = nil
    forget(settlement.number)
    promiseWasSettled()
    do {
      let value = try make(try settlement.result.get())
      lt_napi_resolve_deferred(environment, deferred, value)
    } catch {
      // `try?`: fails only if JavaScript cannot run any more.
      guard let value = try? make(error) else { return }
      lt_napi_reject_deferred(environment, deferred, value)
    }
  }

  private func forget(_ number: Int) {
    if let open = promises[number], open.deferred == nil, open.reference == nil {
      promises[number] = nil
    }
  }
}
