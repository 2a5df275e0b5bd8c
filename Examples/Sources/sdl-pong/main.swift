import Foundation
import LoopTransactions
import LoopTransactionsCSDL
import LoopTransactionsSDL

// A game in SDL's event loop. A FrameClock delivers 60 frames a second, and SDL delivers
// key events. Both change the game, which is drawn once per tick.

func fail(_ operation: String) -> Never {
  FileHandle.standardError.write(
    Data("sdl-pong: \(operation) failed: \(String(cString: SDL_GetError()))\n".utf8)
  )
  exit(1)
}

SDL_SetMainReady()
guard SDL_Init(SDL_INIT_VIDEO) == 0 else { fail("SDL_Init") }
// snippet.host
let loop = try EventLoop()
let bridge = try MainQueueBridge(on: loop)
let host = try SDLHost(loop)
// snippet.end
guard let board = Board(on: loop) else { fail("creating the window") }
let clock = try FrameClock(on: loop, framesPerSecond: 60) { frame in
  MainActor.assumeIsolated { board.advance(to: frame) }
}
// `MainQueueBridge` runs @MainActor code in SDL's loop.
Task { @MainActor in print("playing; Up and Down move the paddle, Escape quits") }

// snippet.events
var event = SDL_Event()
var isPlaying = true
while isPlaying, SDL_WaitEvent(&event) != 0 {
  if host.serve(event.type) { continue }
  switch event.type {
  case SDL_KEYDOWN.rawValue:
    isPlaying = board.press(Int(event.key.keysym.sym))
  case SDL_QUIT.rawValue: isPlaying = false
  default: break
  }
}
clock.cancel()
host.cancel()
try loop.close()
SDL_Quit()
// snippet.end
print("\(board.frames) frames, \(board.missed) missed")
print("\(board.frames + board.keys) changes, \(board.draws) draws")
print("\(board.game.hits) hits, \(board.game.misses) misses, paddle at \(Int(board.game.paddleY))")
