import LoopTransactions

/// An image that may have to wait for memory before it is decoded.
///
/// Belongs to the loop. The display decides when to decode it.
class PendingDecode {
  /// The image.
  let key: ImageKey
  /// The priority among the images that wait for memory.
  final var priority = OperationPriority.normal
  /// The position among them, while it waits.
  final var place: Backlog<PendingDecode>.Place?

  init(_ key: ImageKey) { self.key = key }

  /// The bytes of memory it waits for, or nil if it does not wait.
  var missingBytes: Int? { nil }

  /// Begins to decode the image.
  func decode(in display: Display) {}
}
