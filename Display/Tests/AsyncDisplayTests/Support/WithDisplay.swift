import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting

/// Runs `body` with a loop and its display, on workers of its own; the loop is closed
/// afterwards, whatever happens. A tick may take as long as it does: on a busy machine a
/// budget would be over anywhere.
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
    // The test's own error counts.
    try? loop.close()
    throw error
  }
  try loop.close()
}

/// Runs `body` as above, on a loop that is stepped by hand.
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
  /// Runs the loop until nothing is left to do; whether that came within 20 seconds.
  func settle() -> Bool {
    loop.run(until: loop.now.advanced(by: .seconds(20))) == .finished
  }
}
