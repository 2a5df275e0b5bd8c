import LoopTransactions

/// One display that was begun. Of the loop; the operation has its `result` only.
final class DisplayRun {
  /// What a display made, once it has.
  typealias Drawn = Guarded<Result<Bitmap, any Error>?>

  let generation: UInt64
  /// Whether its task was told that it begins.
  var wasTold = false
  var didDisplay: ((DisplayOutcome) -> Void)?
  /// What it made, until it is shown.
  var bitmap: Bitmap?
  /// What is told, unless it was cancelled.
  var outcome = DisplayOutcome.cancelled
  let drawn = Drawn(nil)
  var operation: AsyncTransaction.Operation?
  var transaction: AsyncTransaction?
  var watch: CancelWatch?

  init(generation: UInt64) { self.generation = generation }

  /// Takes what was drawn; how it ended.
  func finish() -> DisplayState.End {
    let result = drawn.withLock { result in
      defer { result = nil }
      return result
    }
    switch result {
    case .success(let bitmap):
      (self.bitmap, outcome) = (bitmap, .displayed)
      return .drawn
    case .failure(let error):
      outcome = .failed(error)
      return .failed
    case nil: return .cancelled
    }
  }
}
