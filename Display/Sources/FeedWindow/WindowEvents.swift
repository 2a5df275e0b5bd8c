import AsyncDisplay
import CSDL
package import CardFeed

/// A command from the user that is not about the cards.
package enum Command: Hashable, Sendable {
  case quit
  case variant(FeedVariant)
  case nextVariant
  case toggleGraph
}

/// What happened to a window.
package enum WindowEvent: Hashable, Sendable {
  case input(FeedInput)
  case command(Command)
  /// The window was resized, moved or uncovered.
  case changed
}

/// Translates the events of SDL. It follows the first finger of a touch.
struct WindowEvents {
  private var finger: Int64?

  /// Returns the events since the last call.
  mutating func take(from window: Window) -> [WindowEvent] {
    var (event, events) = (ad_sdl_event(), [WindowEvent]())
    while SDL_PollEvent(&event) != 0 {
      if let next = translate(event, window) { events.append(next) }
    }
    return events
  }

  private mutating func translate(_ event: ad_sdl_event, _ window: Window) -> WindowEvent? {
    switch event.type {
    case ad_sdl_quit: return .command(.quit)
    case ad_sdl_window:
      switch event.window.event {
      case ad_sdl_exposed, ad_sdl_resized, ad_sdl_size_changed: window.expose()
      default: break
      }
      return .changed
    case ad_sdl_key_down: return Self.press(event)
    case ad_sdl_key_up: return Self.key(event).map { .input(.keyUp($0)) }
    case ad_sdl_wheel:
      // Touchpads report parts of a notch.
      let (whole, precise) = (Double(event.wheel.y), Double(event.wheel.precise_y))
      return .input(.wheel(-(precise.isFinite && precise != 0 ? precise : whole)))
    case ad_sdl_button_down where event.button.button == 1:
      return .input(.pressed(window.point(event.button.x, event.button.y)))
    case ad_sdl_button_up where event.button.button == 1:
      return .input(.released(window.point(event.button.x, event.button.y)))
    case ad_sdl_motion where event.motion.state & 1 != 0:
      return .input(.dragged(window.point(event.motion.x, event.motion.y)))
    case ad_sdl_finger_down, ad_sdl_finger_motion, ad_sdl_finger_up:
      return touch(event, window).map { .input($0) }
    default: return nil
    }
  }

  private mutating func touch(_ event: ad_sdl_event, _ window: Window) -> FeedInput? {
    let (touch, point) = (event.finger, window.point(event.finger.x, event.finger.y))
    if event.type == ad_sdl_finger_down {
      guard finger == nil else { return nil }
      finger = touch.finger
      return .pressed(point)
    }
    guard finger == touch.finger else { return nil }
    guard event.type == ad_sdl_finger_up else { return .dragged(point) }
    finger = nil
    return .released(point)
  }
}

// Keys.
extension WindowEvents {
  private static func press(_ event: ad_sdl_event) -> WindowEvent? {
    let key = key(event)
    // A key that is held down moves the focus further, and nothing else.
    guard event.key.repeat == 0 || key == .next || key == .previous else { return nil }
    if let key { return .input(.keyDown(key)) }
    switch event.key.key {
    case code("q"): return .command(.quit)
    case code("a"): return .command(.variant(.a4))
    case code("s"): return .command(.variant(.s0))
    case code("n"): return .command(.nextVariant)
    case code("g"): return .command(.toggleGraph)
    default: return nil
    }
  }

  private static func key(_ event: ad_sdl_event) -> FeedKey? {
    switch event.key.key {
    case code("\t"): event.key.modifiers & ad_sdl_shift == 0 ? .next : .previous
    case code("l"): .like
    default: keys[event.key.key]
    }
  }

  // SDL's key codes of keys without a character have bit 30 set.
  private static let keys: [Int32: FeedKey] = [
    0x4000_0052: .up, 0x4000_0051: .down, 0x4000_004B: .pageUp, 0x4000_004E: .pageDown,
    0x4000_004A: .home, 0x4000_004D: .end, 0x4000_0050: .previous, 0x4000_004F: .next,
    0x4000_0058: .open, 32: .stop, 13: .open, 27: .close, 8: .close,
  ]

  // SDL's key codes for letters are their Unicode values.
  private static func code(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }
}
