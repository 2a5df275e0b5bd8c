import LoopTransactionsTesting

/// Runs `body` with a stepped loop, and closes the loop even if `body` throws.
func stepping(_ body: (SteppedLoop) throws -> Void) throws {
  let stepped = try SteppedLoop()
  do { try body(stepped) } catch {
    try stepped.close()
    throw error
  }
  try stepped.close()
}
