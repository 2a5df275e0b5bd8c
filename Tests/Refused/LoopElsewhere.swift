// Uses a loop on another thread.
import LoopTransactions

func take(_ loop: EventLoop) {
  // error: passing closure as a 'sending' parameter risks causing data races
  Task.detached { loop.stop() }
  loop.stop()
}
