import LoopTransactions

/// A picture that may have to wait for memory before it is decoded.
///
/// Belongs to the loop. The display decides when it is decoded.
class PendingDecode {
  /// The picture.
  let key: ImageKey
  /// Its rank among the pictures that wait for memory.
  final var priority = OperationPriority.normal
  /// Its place among them, while it waits.
  final var place: Backlog<PendingDecode>.Place?

  init(_ key: ImageKey) { self.key = key }

  /// The memory it waits for, in bytes; nil if it does not wait.
  var missingBytes: Int? { nil }

  /// Begins to decode the picture.
  func decode(in display: Display) {}
}
