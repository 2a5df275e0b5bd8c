import AsyncDisplay
import FeedWindow
import Testing

@Suite("Size of a window")
struct WindowSizeTests {
  /// A screen without its panels, and the size in points of a new window.
  struct Screen {
    let usable: (Int, Int)
    let density: Double
    let size: Size
  }

  // Screens of laptops, netbooks and a 4K monitor.
  private static let screens = [
    Screen(usable: (1024, 600), density: 1, size: Size(width: 768, height: 536)),
    Screen(usable: (1366, 741), density: 1, size: Size(width: 768, height: 677)),
    Screen(usable: (1280, 800), density: 1, size: Size(width: 768, height: 736)),
    Screen(usable: (1920, 1080), density: 1, size: Size(width: 768, height: 1000)),
    Screen(usable: (1920, 1080), density: 1.25, size: Size(width: 768, height: 800)),
    Screen(usable: (1920, 1080), density: 1.5, size: Size(width: 768, height: 656)),
    Screen(usable: (2560, 1600), density: 2, size: Size(width: 768, height: 736)),
    Screen(usable: (2880, 1800), density: 2, size: Size(width: 768, height: 836)),
    Screen(usable: (3840, 2160), density: 3, size: Size(width: 768, height: 656)),
    Screen(usable: (1366, 768), density: 2, size: Size(width: 683, height: 320)),
    Screen(usable: (600, 1024), density: 1, size: Size(width: 600, height: 960)),
  ]

  @Test("a new window and its title bar fit the screen at any scale", arguments: screens)
  func fits(_ screen: Screen) {
    let size = WindowSize.fitting(screen.usable, density: screen.density)
    #expect(size == screen.size)
    let title = 40 * screen.density
    #expect(size.width * screen.density <= Double(screen.usable.0))
    #expect(size.height * screen.density + title <= Double(screen.usable.1))
  }

  @Test("a window is never smaller than 100 points, even if the screen is")
  func least() {
    let size = WindowSize.fitting((0, 0), density: 1)
    #expect(size == Size(width: 100, height: 100))
  }

  @Test("a surface with twice as many pixels as units has two pixels per point, on any screen")
  func surfaces() {
    // Wayland and macOS measure windows in points.
    let points = WindowSize(surface: (1536, 1672), units: 768, density: 1)
    // X11 measures them in pixels.
    let pixels = WindowSize(surface: (1536, 1672), units: 1536, density: 2)
    #expect(points == pixels)
    #expect(points.scale == 2 && points.points == Size(width: 768, height: 836))
    let empty = WindowSize(surface: (0, 0), units: 0, density: 1)
    #expect(empty.pixels == PixelSize(width: 1, height: 1) && empty.scale == 1)
  }
}
