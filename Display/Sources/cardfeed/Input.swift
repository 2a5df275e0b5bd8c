import CSDL
import CardFeed

/// A command from the user.
enum Input {
  case quit
  case variant(FeedVariant)
  case nextVariant
  case toggleGraph

  /// Handles the events since the last frame. Scrolls `scroller` for some of
  /// them and returns the other commands.
  static func take(_ scroller: inout Scroller, at time: Double) -> [Input] {
    var (event, inputs) = (ad_sdl_event(), [Input]())
    while SDL_PollEvent(&event) != 0 {
      switch event.type {
      case ad_sdl_quit: inputs.append(.quit)
      case ad_sdl_key_down where event.key.repeat == 0:
        if let input = press(event.key.key, &scroller, time) { inputs.append(input) }
      case ad_sdl_key_up where event.key.key == up || event.key.key == down:
        scroller.move(0, at: time)
      case ad_sdl_wheel: scroller.push(-Double(event.wheel.y) * 900, at: time)
      case ad_sdl_motion where event.motion.state & 1 != 0:
        scroller.drag(-Double(event.motion.down), at: time)
      case ad_sdl_button_down where event.button.button == 1: scroller.move(0, at: time)
      case ad_sdl_button_up where event.button.button == 1: scroller.release(at: time)
      default: break
      }
    }
    return inputs
  }

  private static let (up, down): (Int32, Int32) = (0x4000_0052, 0x4000_0051)
  private static let (pageUp, pageDown): (Int32, Int32) = (0x4000_004B, 0x4000_004E)
  private static let (home, end): (Int32, Int32) = (0x4000_004A, 0x4000_004D)

  private static func press(_ key: Int32, _ scroller: inout Scroller, _ time: Double) -> Input? {
    switch key {
    case up: scroller.move(-1500, at: time)
    case down: scroller.move(1500, at: time)
    case pageUp: scroller.push(-6000, at: time)
    case pageDown: scroller.push(6000, at: time)
    case home: scroller.jump(to: scroller.range.lowerBound, at: time)
    case end: scroller.jump(to: scroller.range.upperBound, at: time)
    case 32: scroller.move(0, at: time)
    case 27, code("q"): return .quit
    case code("a"): return .variant(.a4)
    case code("s"): return .variant(.s0)
    case code("n"): return .nextVariant
    case code("g"): return .toggleGraph
    default: break
    }
    return nil
  }

  // SDL's key codes for letters are their Unicode values.
  private static func code(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }
}
