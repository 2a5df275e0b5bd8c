// Runs the main thread's loop in an asynchronous function.
import LoopTransactions

func start() async throws {
  // error: an asynchronous main is served by libdispatch's own threads
  try EventLoop.runMain { _ in }
}
