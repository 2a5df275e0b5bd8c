import LoopTransactions

/// One display that has begun. Belongs to the loop, except `drawn`, which a
/// worker's operation writes.
final class DisplayRun {
  /// The result of drawing, or nil until drawing has ended.
  typealias Drawn = Locked<Result<Bitmap, any Error>?>

  let generation: UInt64
  /// Whether the display was counted as begun, so that `didDisplay` must follow.
  var isAnnounced = false
  var didDisplay: ((Layer?, DisplayOutcome) -> Void)?
  /// The drawn bitmap, until it is shown.
  var bitmap: Bitmap?
  /// The outcome to report, unless the display was cancelled.
  var outcome = DisplayOutcome.cancelled
  let drawn = Drawn(nil)
  var operation: AsyncTransaction.Operation?
  var transaction: AsyncTransaction?
  var watch: CancelWatch?
  /// The times of the display, if displays are timed.
  var times: DisplayTimes?

  init(generation: UInt64) { self.generation = generation }

  /// Takes the result of drawing, and returns how the display ended.
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
