import LoopTransactions

/// Which file it is, whatever it is called: hard links and symbolic ones are equal.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let number: UInt64
}

/// One picture of the folder, as the loop knows it.
final class Picture {
  /// How far its thumbnail is.
  enum Stage {
    /// It waits for a worker, or is decoded.
    case making(AsyncTransaction.Operation)
    /// It was decoded, and is written.
    case saving
    /// Its outcome was told.
    case done
  }

  let position: Int
  let name: String
  let path: String
  let identity: FileIdentity
  /// Nil until it is begun.
  var stage: Stage?

  init(position: Int, name: String, path: String, identity: FileIdentity) {
    self.position = position
    self.name = name
    self.path = path
    self.identity = identity
  }

  /// The operation that makes its thumbnail, until that was made.
  var making: AsyncTransaction.Operation? {
    if case .making(let operation) = stage { return operation }
    return nil
  }

  /// Whether its outcome was told.
  var isDone: Bool {
    if case .done = stage { return true }
    return false
  }
}
