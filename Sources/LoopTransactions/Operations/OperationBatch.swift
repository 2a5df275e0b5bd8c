/// Operations that were taken together, in their order; linked through their nodes.
package struct OperationBatch {
  package typealias Pointer = OperationNode.Pointer

  private var first: Pointer?
  private var last: Pointer?

  package private(set) var count = 0

  /// Takes `node`, which is in no other list, to the end.
  mutating func append(_ node: Pointer) {
    node.pointee.next = nil
    if let last { last.pointee.next = node } else { first = node }
    last = node
    count += 1
  }

  /// Lets go of the first.
  mutating func removeFirst() -> Pointer? {
    guard let node = first else { return nil }
    first = node.pointee.next
    if first == nil { last = nil }
    count -= 1
    return node
  }
}

extension OperationBatch: Sequence {
  package func makeIterator() -> some IteratorProtocol<OperationHandle> {
    sequence(state: first) { node -> OperationHandle? in
      guard let current = node else { return nil }
      node = current.pointee.next
      return OperationHandle(node: current)
    }
  }
}
