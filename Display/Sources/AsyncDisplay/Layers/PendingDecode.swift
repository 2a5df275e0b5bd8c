import LoopTransactions

/// An image that may have to wait for memory before it is decoded.
///
/// Belongs to the loop. The display decides when to decode it.
class PendingDecode {
  /// The image.
  let key: ImageKey
  /// The priority among the images that wait for memory.
  final var priority = OperationPriority.normal
  /// The position among the images that wait for memory, or nil if the image
  /// does not wait.
  final var place: Backlog<PendingDecode>.Place?

  init(_ key: ImageKey) { self.key = key }

  /// The number of bytes of memory that the image waits for, or nil if it does
  /// not wait.
  var missingBytes: Int? { nil }

  /// Begins to decode the image.
  func decode(in display: Display) {}
}
