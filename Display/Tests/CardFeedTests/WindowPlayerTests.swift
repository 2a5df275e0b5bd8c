import AsyncDisplay
import CardFeed
import FeedWindow
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Player of a window")
struct WindowPlayerTests {
  // More than one period of the clock of a player, and less than two.
  private static let frame = Duration.milliseconds(17)

  private func button(_ index: Int, _ player: WindowPlayer) -> Rect {
    FeedParts.like(in: player.model.frame(of: index, at: 0))
  }

  private func tap(_ rect: Rect) -> [WindowEvent] {
    let point = Point(x: rect.midX, y: rect.midY)
    return [.input(.pressed(point)), .input(.released(point))]
  }

  @Test(
    "a feed at rest makes no tick, needs no wake-up and shows no frame in an hour",
    arguments: [FeedVariant.s0, .a4]
  )
  func idle(_ variant: FeedVariant) throws {
    let screen = TestScreen()
    try withPlayer(variant, on: screen) { player, stepped in
      player.rest(stepped)
      #expect(stepped.isIdle)
      let (frames, before) = (screen.frames, stepped.loop.metrics)
      stepped.advance(by: .seconds(3600))
      let after = stepped.loop.metrics
      #expect(after.ticks == before.ticks && after.wakesSent == before.wakesSent)
      #expect(after.posts == before.posts && screen.frames == frames && player.isAtRest)
    }
  }

  // D15
  @Test("an event that changes no pixel paints nothing and leaves the feed at rest")
  func unchanged() throws {
    let screen = TestScreen()
    try withPlayer(.s0, on: screen) { player, stepped in
      player.rest(stepped)
      let (painted, ticks) = (screen.painted, stepped.loop.metrics.ticks)
      screen.send([.changed, .input(.dragged(Point(x: 9, y: 9))), .input(.keyUp(.open))])
      stepped.step()
      #expect(stepped.isIdle && player.isAtRest)
      stepped.advance(by: .seconds(3600))
      #expect(screen.painted == painted && stepped.loop.metrics.ticks == ticks + 1)
    }
  }

  // D15
  @Test("a feed at rest shows a like in the tick that takes the tap, and repaints its button only")
  func likeAtRest() throws {
    let screen = TestScreen()
    try withPlayer(.s0, on: screen) { player, stepped in
      player.rest(stepped)
      let (button, frames) = (button(0, player), screen.frames)
      let (before, painted) = (screen.pixels(in: button), screen.painted.count)
      screen.send(tap(button))
      stepped.step()
      #expect(screen.frames == frames + 1 && screen.painted.count == painted + 1)
      #expect(screen.painted.last?.area == before.count && screen.pixels(in: button) != before)
      #expect(player.model.likes == [0] && !player.isAtRest)
      // The clock that has started finds no further change.
      player.rest(stepped)
      #expect(screen.painted.count == painted + 1)
    }
  }

  @Test("while frames run, the frame after a tap shows the like", arguments: [FeedVariant.s0, .a4])
  func likeInFrames(_ variant: FeedVariant) throws {
    let screen = TestScreen()
    try withPlayer(variant, on: screen) { player, stepped in
      // No worker has drawn the cards of A4 yet.
      stepped.advance(by: Self.frame)
      #expect(!player.isAtRest)
      let (button, frames) = (button(0, player), screen.frames)
      let before = screen.pixels(in: button)
      screen.send(tap(button))
      // This tick takes the tap. It is before the next frame.
      stepped.step()
      #expect(player.model.likes == [0] && screen.frames == frames)
      stepped.advance(by: Self.frame)
      #expect(screen.frames == frames + 1 && screen.pixels(in: button) != before)
      let (x, y) = (button.midX * TestScreen.scale, button.midY * TestScreen.scale)
      #expect(screen.painted.last?.contains(x: Int(x), y: Int(y)) == true)
    }
  }
}
