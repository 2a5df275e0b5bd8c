/// The amounts of queued bytes at which a connection stops and starts to be
/// writable.
package struct WaterMarks {
  private(set) var low: Int
  private(set) var high: Int
  /// Whether the queue is below the high mark, or has not yet risen to it since
  /// it last fell to the low mark.
  package private(set) var isWritable = true

  package init(low: Int, high: Int) { (self.low, self.high) = (low, high) }

  /// Changes the marks. Returns whether the queue became writable.
  package mutating func set(low: Int, high: Int, queued: Int) -> Bool {
    (self.low, self.high) = (low, high)
    didQueue(queued)
    return didSend(queued)
  }

  /// Called when the queue has grown to `queued` bytes.
  package mutating func didQueue(_ queued: Int) { if queued >= high { isWritable = false } }

  /// Called when the queue has shrunk to `queued` bytes. Returns whether it
  /// became writable.
  package mutating func didSend(_ queued: Int) -> Bool {
    guard !isWritable, queued <= low else { return false }
    isWritable = true
    return true
  }
}
