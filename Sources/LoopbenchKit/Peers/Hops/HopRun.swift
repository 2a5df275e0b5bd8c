private import CLoopbench

/// The calls of one sample, by a task: how many, and how long they took.
final class HopRun: @unchecked Sendable {
  // @unchecked: the task's, until it lets the thread go on that waits for it.
  private var returned = 0
  private var nanoseconds: UInt64 = 0

  /// A call has returned. To be called where the task was before the call.
  // Never inlined: the compiler leaves out the way back between two calls where
  // nothing is done there, and the way there where nothing of the actor is touched.
  @inline(never)
  func didReturn() { returned += 1 }

  /// Ends the run, which `began` then, and whose actor saw `touched` calls.
  func end(_ touched: Int, since began: UInt64) {
    nanoseconds = touched == returned ? cl_now() - began : 0
  }

  /// ns that `expected` calls took.
  ///
  /// - Throws: When the actor saw another number of them.
  func time(of expected: Int) throws(PeerFailure) -> UInt64 {
    guard returned == expected, nanoseconds > 0 else {
      throw PeerFailure("\(returned) calls returned, of \(expected), or the actor saw others")
    }
    return nanoseconds
  }
}
