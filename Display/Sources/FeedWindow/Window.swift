package import AsyncDisplay
import CSDL
package import CardFeed

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A resizable window. SDL keeps its pixels between two frames, so only changed
/// pixels are painted and sent. Use a window on the thread that created it.
package final class Window: FeedScreen {
  package struct Failure: Error { package let text: String }

  private let window: OpaquePointer
  // The number of pixels per point on a screen whose windows are measured in
  // pixels, as in X11.
  private let density: Double
  private let painter = ScenePainter()
  private var events = WindowEvents()
  // The surface that has the pixels of the latest scene.
  private var painted: UnsafeMutablePointer<SDL_Surface>?
  // The pixels, for screens with another pixel format.
  private var copy: [UInt32] = []
  private var isExposed = false

  /// Opens a window.
  ///
  /// - Parameters:
  ///   - size: The size in points. If nil, the window fits the screen.
  ///   - density: The number of pixels per point. If nil, the screen's.
  ///   - driver: The name of SDL's driver, for tests. If nil, SDL chooses one.
  package init(size: Size?, density: Double?, driver: String? = nil) throws {
    guard driver != nil || Self.hasDisplay else {
      throw Failure(text: "there is no display: set DISPLAY or WAYLAND_DISPLAY, or use --headless")
    }
    // Lets Ctrl-C end the program as usual.
    _ = SDL_SetHint("SDL_NO_SIGNAL_HANDLERS", "1")
    // Touches are handled as touches.
    _ = SDL_SetHint("SDL_TOUCH_MOUSE_EVENTS", "0")
    if let driver { _ = SDL_SetHint("SDL_VIDEODRIVER", driver) }
    guard SDL_Init(ad_sdl_video) == 0 else { throw Self.failure }
    guard driver != nil || Self.showsWindows else {
      SDL_Quit()
      throw Failure(
        text: "the display \(Self.displayName) does not answer: start it, correct DISPLAY or "
          + "WAYLAND_DISPLAY, or use --headless"
      )
    }
    self.density = density ?? Self.density
    let size = size ?? Self.defaultSize(self.density)
    let place = Int32(ad_sdl_centered)
    let (width, height) = (Int32(size.width * self.density), Int32(size.height * self.density))
    let flags = ad_sdl_resizable | ad_sdl_high_dpi
    guard let window = SDL_CreateWindow("cardfeed", place, place, width, height, flags) else {
      throw Self.failure
    }
    self.window = window
    let least = Int32((FeedLayout.cardWidth + 2 * FeedLayout.gap) * self.density)
    SDL_SetWindowMinimumSize(window, min(least, width), min(least, height))
  }

  deinit {
    SDL_DestroyWindow(window)
    SDL_Quit()
  }

  static var failure: Failure { Failure(text: "SDL: \(String(cString: SDL_GetError()))") }

  // SDL would choose a driver that shows nothing, or take over a console.
  private static var hasDisplay: Bool {
    #if os(Linux)
      let names = ["DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"]
      return names.contains { variable($0) != nil }
    #else
      return true
    #endif
  }

  // If the display does not answer, SDL chooses a driver that shows nothing,
  // unless a variable names the driver.
  private static var showsWindows: Bool {
    guard variable("SDL_VIDEODRIVER") == nil, let driver = SDL_GetCurrentVideoDriver() else {
      return true
    }
    return !["offscreen", "dummy", "evdev"].contains(String(cString: driver))
  }

  private static var displayName: String {
    variable("WAYLAND_DISPLAY") ?? variable("DISPLAY") ?? ""
  }

  /// The value of an environment variable, or nil if it is unset or empty.
  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  // Only X11 measures windows in pixels. Elsewhere the size of the surface
  // tells the density.
  private static var density: Double {
    guard let driver = SDL_GetCurrentVideoDriver(), String(cString: driver) == "x11" else {
      return 1
    }
    var dots: Float = 0
    let isKnown = SDL_GetDisplayDPI(0, &dots, nil, nil) == 0
    return ScreenScale.scale(
      variable: variable("GDK_SCALE"),
      resource: resource("Xft", "dpi"),
      dots: isKnown ? Double(dots) : nil
    )
  }

  // The value of an X resource, which desktops set to the scale of their text.
  // SDL does not tell it from the measured density.
  private static func resource(_ program: String, _ option: String) -> String? {
    typealias Open = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
    typealias Close = @convention(c) (OpaquePointer) -> Int32
    typealias Default =
      @convention(c) (
        OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>
      ) -> UnsafePointer<CChar>?
    guard let library = SDL_LoadObject("libX11.so.6"),
      let open = SDL_LoadFunction(library, "XOpenDisplay"),
      let close = SDL_LoadFunction(library, "XCloseDisplay"),
      let find = SDL_LoadFunction(library, "XGetDefault"),
      let display = unsafeBitCast(open, to: Open.self)(nil)
    else { return nil }
    defer { _ = unsafeBitCast(close, to: Close.self)(display) }
    // The value belongs to the display.
    return unsafeBitCast(find, to: Default.self)(display, program, option).map(
      String.init(cString:)
    )
  }

  private static func defaultSize(_ density: Double) -> Size {
    var bounds = SDL_Rect()
    guard SDL_GetDisplayUsableBounds(0, &bounds) == 0 else { return Feed.viewport }
    return WindowSize.fitting((Int(bounds.w), Int(bounds.h)), density: density)
  }
}

// Sizes.
extension Window {
  /// The size of the surface, in pixels and points.
  package var size: WindowSize {
    get throws {
      guard let surface = SDL_GetWindowSurface(window)?.pointee else { throw Self.failure }
      return WindowSize(
        surface: (Int(surface.w), Int(surface.h)),
        units: Int(unitSize.width),
        density: density
      )
    }
  }

  // The size in the units of SDL's events.
  private var unitSize: (width: Int32, height: Int32) {
    var (width, height): (Int32, Int32) = (0, 0)
    SDL_GetWindowSize(window, &width, &height)
    return (width, height)
  }

  /// Returns the point at a position of an SDL event.
  func point(_ x: Int32, _ y: Int32) -> Point {
    Point(x: Double(x) / density, y: Double(y) / density)
  }

  /// Returns the point at a position from 0 to 1.
  func point(_ x: Float, _ y: Float) -> Point {
    let size = unitSize
    return Point(
      x: Double(x) * Double(size.width) / density,
      y: Double(y) * Double(size.height) / density
    )
  }
}

// Showing scenes.
extension Window {
  /// Marks all pixels as lost, because the window was uncovered or resized.
  func expose() { isExposed = true }

  /// Paints and shows the changes of the latest scene of `history`.
  ///
  /// - Parameter isNew: Whether the scene was added since the last call.
  package func show(_ history: SceneHistory, isNew: Bool) throws {
    guard let scene = history.scene else { return }
    guard let surface = SDL_GetWindowSurface(window) else { throw Self.failure }
    // The window has another size by now. An event follows.
    guard surface.pointee.w == scene.size.width, surface.pointee.h == scene.size.height else {
      return painted = nil
    }
    let isKept = surface == painted && !isExposed
    (painted, isExposed) = (surface, false)
    guard isNew || !isKept else { return }
    let damage = history.damage(age: isKept ? 1 : 0)
    guard !damage.isEmpty, let start = surface.pointee.pixels else { return }
    switch surface.pointee.format?.pointee.format {
    case ad_sdl_argb, ad_sdl_rgb:
      let pixels = start.assumingMemoryBound(to: UInt32.self)
      let stride = Int(surface.pointee.pitch) / 4
      painter.paint(scene, damage, into: PixelBuffer(pixels, stride: stride, size: scene.size))
    case let format: convert(scene, damage, surface.pointee, format ?? 0)
    }
    let rects = damage.rects.map {
      SDL_Rect(x: Int32($0.x), y: Int32($0.y), w: Int32($0.width), h: Int32($0.height))
    }
    guard SDL_UpdateWindowSurfaceRects(window, rects, Int32(rects.count)) == 0 else {
      throw Self.failure
    }
  }

  private func convert(_ scene: Scene, _ damage: Region, _ surface: SDL_Surface, _ format: UInt32) {
    let (width, count) = (scene.size.width, scene.size.width * scene.size.height)
    if copy.count != count { copy = [UInt32](repeating: 0, count: count) }
    copy.withUnsafeMutableBufferPointer { copy in
      guard let start = copy.baseAddress, let target = surface.pixels else { return }
      painter.paint(scene, damage, into: PixelBuffer(start, stride: width, size: scene.size))
      // The whole width, because SDL's formats have different pixel sizes.
      for rect in damage.rects {
        let to = target + rect.y * Int(surface.pitch)
        let from = start + rect.y * width
        SDL_ConvertPixels(
          Int32(width),
          Int32(rect.height),
          ad_sdl_argb,
          from,
          Int32(4 * width),
          format,
          to,
          surface.pitch
        )
      }
    }
  }
}

// The connection to the screen.
extension Window {
  package func takeEvents() -> [WindowEvent] { events.take(from: self) }

  /// The descriptor that becomes readable when events arrive, or nil if the
  /// system has none.
  package var descriptor: Int32? {
    var info = ad_sdl_wm_info()
    // SDL reports Wayland only to programs that know version 2.0.6.
    (info.major, info.minor, info.patch) = (2, 0, 6)
    guard SDL_GetWindowWMInfo(window, &info) != 0, let display = info.info.display else {
      return nil
    }
    let names =
      switch info.subsystem {
      case ad_sdl_x11: ("libX11.so.6", "XConnectionNumber")
      case ad_sdl_wayland: ("libwayland-client.so.0", "wl_display_get_fd")
      default: ("", "")
      }
    // SDL has loaded the library already.
    guard !names.0.isEmpty, let library = SDL_LoadObject(names.0),
      let function = SDL_LoadFunction(library, names.1)
    else { return nil }
    typealias Connection = @convention(c) (UnsafeMutableRawPointer) -> Int32
    return unsafeBitCast(function, to: Connection.self)(display)
  }
}
