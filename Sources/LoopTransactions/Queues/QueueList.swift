/// The queues of a loop, sorted by order. Queues of equal order keep the order
/// in which they were created. Loop thread only.
final class QueueList: LoopPart {
  private var queues: [QueueCore] = []

  /// Inserts `queue` behind the queues of equal order.
  func insert(_ queue: QueueCore) {
    queues.insert(queue, at: queues.firstIndex { $0.order > queue.order } ?? queues.endIndex)
  }

  /// Removes `queue`.
  func remove(_ queue: QueueCore) { queues.removeAll { $0 === queue } }

  var holdsAnything: Bool { !queues.isEmpty }

  func loopWillClose() { for queue in queues { queue.refuseOthers() } }

  func finish() { for queue in queues { queue.flush() } }

  func finishForGood() { for queue in queues { queue.flushForGood() } }

  func drop() {
    let dropped = queues
    queues = []
    for queue in dropped { queue.loopDidClose() }
  }

  func loopWasReleased() { drop() }

  func leaveInChild() { for queue in queues { queue.leaveLoop() } }

  func updateMetrics(_ metrics: MetricsCells) {
    metrics.pendingElements.set(UInt64(queues.reduce(0) { $0 + $1.count }))
  }
}
