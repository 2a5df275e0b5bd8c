import LoopTransactions

/// Identifies a file by device and inode, so that hard and symbolic links to one
/// file are equal.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let number: UInt64
}

/// A picture of the folder, and the progress of its thumbnail. Call on the loop.
final class Picture {
  /// The progress of the thumbnail.
  enum Stage {
    /// The picture waits for a worker or is being decoded.
    case making(AsyncTransaction.Operation)
    /// The picture is decoded, and a worker writes the thumbnail.
    case saving
    /// The outcome has been printed.
    case done
  }

  let position: Int
  let name: String
  let path: String
  let identity: FileIdentity
  /// Nil before `Album.begin()`.
  var stage: Stage?

  init(position: Int, name: String, path: String, identity: FileIdentity) {
    self.position = position
    self.name = name
    self.path = path
    self.identity = identity
  }

  /// The operation that makes the thumbnail, or nil once it has completed.
  var makeOperation: AsyncTransaction.Operation? {
    if case .making(let operation) = stage { return operation }
    return nil
  }

  var isDone: Bool {
    if case .done = stage { return true }
    return false
  }
}
