import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting

/// Runs `body` with a loop and a display that has its own workers, then closes
/// the loop.
///
/// The loop's budget is unlimited, because on a busy machine a time budget
/// could end a tick at any point.
func withDisplay(
  workers: Int = 2,
  inFlightLimit: Int = 128 << 20,
  pool: BitmapPool? = nil,
  _ body: (Display) throws -> Void
) throws {
  let loop = try EventLoop()
  loop.budget = .unlimited
  do {
    let scheduler = OperationScheduler("display tests", workerLimit: workers)
    try body(
      Display(on: loop, scheduler: scheduler, pool: pool, inFlightLimit: inFlightLimit)
    )
  } catch {
    // try?: reports the test's own error instead of an error of close().
    try? loop.close()
    throw error
  }
  try loop.close()
}

/// Runs `body` with a display on a loop that the test steps.
func withSteppedDisplay(
  workers: Int = 2,
  _ body: (Display, SteppedLoop) throws -> Void
) throws {
  let stepped = try SteppedLoop()
  stepped.loop.budget = .unlimited
  do {
    let scheduler = OperationScheduler("display tests", workerLimit: workers)
    try body(Display(on: stepped.loop, scheduler: scheduler), stepped)
  } catch {
    try? stepped.close()
    throw error
  }
  try stepped.close()
}

extension Display {
  /// Runs the loop until no work is left. Returns false after ten minutes.
  func settle() -> Bool {
    loop.run(until: loop.now.advanced(by: .seconds(600))) == .finished
  }
}
