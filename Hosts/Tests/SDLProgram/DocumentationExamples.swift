import LoopTransactions
import LoopTransactionsCSDL
import LoopTransactionsSDL

// The examples of the documentation comments, compiled and not run. scripts/lib/blocks.py
// compares them.

@MainActor
private func sdlHost(_ loop: EventLoop) throws {
  func react(to event: SDL_Event) {}
  let host = try SDLHost(loop)
  var event = SDL_Event()
  while SDL_WaitEvent(&event) != 0 {
    if host.serve(event.type) { continue }
    react(to: event)
  }
}
