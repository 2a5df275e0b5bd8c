// A timer of the main loop, and a main that sleeps meanwhile.

import LoopTransactions
import LoopTransactionsMain

@main
struct App {
  static func main() async throws {
    EventLoop.main.addTimer(after: .zero, every: .milliseconds(100)) { _ in
      print("tick")
    }
    try await Task.sleep(for: .milliseconds(250))
  }
}
