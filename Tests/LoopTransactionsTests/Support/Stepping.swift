import LoopTransactionsTesting

/// Runs `body` with a stepped loop, and closes it whatever happens.
func stepping(_ body: (SteppedLoop) throws -> Void) throws {
  let stepped = try SteppedLoop()
  do { try body(stepped) } catch {
    try stepped.close()
    throw error
  }
  try stepped.close()
}
