import LoopTransactions
import LoopTransactionsCSDL

/// The game's window. Key events and frames change the game. A transaction draws it once
/// before SDL waits for events.
final class Board: MainActorTarget {
  static let draw = Selector<Board>("draw") { $0.draw() }

  private(set) var game = Game()
  private(set) var frames = 0
  private(set) var missed = 0
  private(set) var keys = 0
  private(set) var draws = 0
  private let renderer: OpaquePointer
  private let loop: EventLoop

  init?(on loop: EventLoop) {
    let (width, height) = (Int32(Game.size.width), Int32(Game.size.height))
    let centered = Int32(SDL_WINDOWPOS_UNDEFINED_MASK)
    guard
      let window = SDL_CreateWindow(
        "Pong",
        centered,
        centered,
        width,
        height,
        SDL_WINDOW_SHOWN.rawValue
      ),
      let renderer = SDL_CreateRenderer(window, -1, SDL_RENDERER_SOFTWARE.rawValue)
    else { return nil }
    self.renderer = renderer
    self.loop = loop
  }

  /// Advances the game to the frame's deadline. This deadline may differ from the
  /// current time.
  func advance(to frame: FrameClock.Frame) {
    frames += 1
    missed += frame.missed
    game.advance(to: frame.deadline)
    loop.commit(self, Board.draw)
  }

  /// Handles a key. Returns false if the key ends the game.
  func press(_ key: Int) -> Bool {
    keys += 1
    switch key {
    case Int(SDLK_UP.rawValue): game.movePaddle(by: -16)
    case Int(SDLK_DOWN.rawValue): game.movePaddle(by: 16)
    case Int(SDLK_ESCAPE.rawValue): return false
    default: return true
    }
    loop.commit(self, Board.draw)
    return true
  }

  private func draw() {
    draws += 1
    SDL_SetRenderDrawColor(renderer, 24, 26, 32, 255)
    SDL_RenderClear(renderer)
    SDL_SetRenderDrawColor(renderer, 70, 74, 86, 255)
    for y in stride(from: 8, to: Game.size.height, by: 24) { fill(238, y, 4, 12) }
    SDL_SetRenderDrawColor(renderer, 240, 240, 240, 255)
    fill(0, game.paddleY, Game.paddle.width, Game.paddle.height)
    SDL_SetRenderDrawColor(renderer, 255, 180, 60, 255)
    fill(game.position.x, game.position.y, Game.ball, Game.ball)
    SDL_SetRenderDrawColor(renderer, 90, 200, 120, 255)
    for hit in 0..<min(game.hits, 30) { fill(12 + 14 * Double(hit), 8, 10, 6) }
    SDL_SetRenderDrawColor(renderer, 220, 90, 80, 255)
    for miss in 0..<min(game.misses, 30) { fill(12 + 14 * Double(miss), 20, 10, 6) }
    SDL_RenderPresent(renderer)
  }

  private func fill(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    var rectangle = SDL_Rect(x: Int32(x), y: Int32(y), w: Int32(width), h: Int32(height))
    SDL_RenderFillRect(renderer, &rectangle)
  }
}
