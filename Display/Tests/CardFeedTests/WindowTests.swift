import AsyncDisplay
import CSDL
import CardFeed
import FeedWindow
import LoopTransactionsTesting
import Testing

/// Drives windows of SDL's driver `dummy`, whose screen has 1024 x 768 pixels.
@Suite("Window", .serialized)
struct WindowTests {
  private static let driver = "dummy"

  @Test("a window without a size fits the screen at each scale", arguments: [1, 1.25, 1.5, 2, 3])
  func size(_ density: Double) throws {
    let size = try Window(size: nil, density: density, driver: Self.driver).size
    let points = WindowSize.fitting((1024, 768), density: density)
    #expect(size.scale == density)
    // A window has whole pixels.
    #expect(abs(size.points.width - points.width) * density < 1)
    #expect(abs(size.points.height - points.height) * density < 1)
    #expect(size.pixels.width <= 1024 && size.pixels.height <= 768 - 40)
  }

  @Test("a window of a given size has that many points and the pixels of its scale")
  func given() throws {
    let wanted = Size(width: 400, height: 300)
    let size = try Window(size: wanted, density: 1.5, driver: Self.driver).size
    #expect(size.points == wanted && size.pixels == PixelSize(width: 600, height: 450))
  }

  @Test("a finger likes a card and opens it by a tap, and scrolls by a drag")
  func touch() throws {
    try withFingers { player, fingers, stepped in
      fingers.tap(FeedParts.like(in: player.model.frame(of: 0, at: 0)))
      stepped.step()
      #expect(player.model.likes == [0] && player.model.details == nil)
      let card = player.model.frame(of: 0, at: 0)
      fingers.down(card.midX, card.midY)
      for step in 1...5 {
        stepped.advance(by: .milliseconds(17))
        fingers.move(card.midX, card.midY - 20 * Double(step))
        stepped.step()
        #expect(abs(player.feed.frame.position - 20 * Double(step - 1)) < 0.01)
      }
      stepped.advance(by: .milliseconds(17))
      #expect(abs(player.feed.frame.position - 100) < 0.01)
      fingers.up(card.midX, card.midY - 100)
      stepped.step()
      // A drag opens nothing. The fling ends within 9 s.
      #expect(player.model.details == nil && player.model.likes == [0])
      stepped.advance(by: .seconds(9))
      #expect(player.feed.frame.position > 100)
      fingers.tap(Rect(x: card.midX, y: 350, width: 0, height: 0))
      stepped.step()
      #expect(player.model.details != nil && player.model.likes == [0])
    }
  }

  @Test("the first finger of a touch counts, and the next touch may use another finger")
  func fingers() throws {
    try withFingers { player, fingers, stepped in
      let button = FeedParts.like(in: player.model.frame(of: 0, at: 0))
      fingers.down(button.midX, button.midY, finger: 1)
      fingers.down(9, 9, finger: 2)
      fingers.move(9, 300, finger: 2)
      fingers.up(9, 300, finger: 2)
      stepped.step()
      #expect(player.model.likes.isEmpty && player.model.pressedLike == 0)
      fingers.up(button.midX, button.midY, finger: 1)
      stepped.step()
      #expect(player.model.likes == [0])
      fingers.tap(button, finger: 2)
      stepped.step()
      #expect(player.model.likes.isEmpty && player.feed.frame.position == 0)
    }
  }

  private func withFingers(_ body: (WindowPlayer, Fingers, SteppedLoop) throws -> Void) throws {
    let size = Size(width: 760, height: 700)
    let window = try Window(size: size, density: TestScreen.scale, driver: Self.driver)
    try withPlayer(.s0, on: window) { player, stepped in
      try body(player, Fingers(size: try window.size.points), stepped)
    }
  }
}

/// Pushes touch events to SDL, as its drivers do.
private struct Fingers {
  /// The size of the window in points.
  let size: Size

  func tap(_ rect: Rect, finger: Int64 = 1) {
    down(rect.midX, rect.midY, finger: finger)
    up(rect.midX, rect.midY, finger: finger)
  }

  func down(_ x: Double, _ y: Double, finger: Int64 = 1) { push(ad_sdl_finger_down, x, y, finger) }

  func move(_ x: Double, _ y: Double, finger: Int64 = 1) {
    push(ad_sdl_finger_motion, x, y, finger)
  }

  func up(_ x: Double, _ y: Double, finger: Int64 = 1) { push(ad_sdl_finger_up, x, y, finger) }

  private func push(_ type: UInt32, _ x: Double, _ y: Double, _ finger: Int64) {
    var event = ad_sdl_event()
    event.finger.type = type
    event.finger.finger = finger
    // SDL's positions are from 0 to 1.
    event.finger.x = Float(x / size.width)
    event.finger.y = Float(y / size.height)
    #expect(SDL_PushEvent(&event) == 1)
  }
}
