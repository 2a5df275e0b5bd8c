public import LoopTransactions
import Synchronization

/// A promise of JavaScript that Swift code settles.
///
/// Any thread may settle it once; later attempts do nothing. Node keeps running until it
/// is settled. The loop settles the promises of a tick together, as one of its
/// transactions, in the order of the calls. JavaScript's reactions run afterwards.
/// Releasing a promise that was not settled rejects it. If the environment ends first,
/// the result is released.
///
/// ```swift
/// let transaction = AsyncTransaction(on: loop, name: "summary")
/// transaction.add("percentiles") { _ in
///   try summary(of: samples, of: route)
/// } completion: { outcome in
///   promise.settle(outcome)
/// }
/// transaction.commit()
/// ```
public final class NodePromise: Sendable {
  let link: NodeLink
  let number: Int
  private let isSettled = Atomic(false)

  init(link: NodeLink, number: Int) {
    self.link = link
    self.number = number
  }

  deinit {
    let number = number
    if claim() {
      let error = NodeError("the promise was released without a result", code: "ERR_NO_RESULT")
      link.post { $0.settleLater(number, .failure(error)) }
    }
    link.post { $0.releasePromise(number) }
  }

  /// Resolves the promise.
  ///
  /// Call from any thread. A value that cannot be copied to JavaScript rejects the
  /// promise.
  public func resolve(_ value: NodeValue = .undefined) { settle(.success(value)) }

  /// Rejects the promise. A `CancellationError` becomes an `AbortError`.
  ///
  /// Call from any thread.
  public func reject(_ error: any Error) { settle(.failure(NodeError(error))) }

  /// Resolves or rejects the promise with the outcome of an operation. A cancelled
  /// operation is an `AbortError`.
  ///
  /// Call from any thread.
  public func settle(_ outcome: AsyncTransaction.Outcome<NodeValue>) {
    switch outcome {
    case .value(let value): resolve(value)
    case .failed(let error): reject(error)
    case .cancelled: reject(NodeError.cancelled)
    }
  }

  private func settle(_ result: Result<NodeValue, NodeError>) {
    guard claim() else { return }
    let number = number
    link.post { $0.settleLater(number, result) }
  }

  // Relaxed: the post orders the rest.
  private func claim() -> Bool { !isSettled.exchange(true, ordering: .relaxed) }
}

extension NodePromise: CustomReflectable {
  /// An empty mirror: reflection traps at the atomic flag.
  public var customMirror: Mirror {
    Mirror(self, children: [:], ancestorRepresentation: .suppressed)
  }
}
