import AsyncDisplay
import CardFeed
import FeedWindow
import Foundation
import LoopTransactions
import LoopTransactionsTesting
import Testing

/// A screen in memory, whose events arrive through a pipe. It counts frames and
/// keeps its pixels, like a window.
final class TestScreen: FeedScreen {
  /// The number of pixels per point, small so that pictures are small.
  static let scale = FeedSimulation.scale

  let size: WindowSize
  /// The number of frames so far, with those that change no pixel.
  private(set) var frames = 0
  /// The pixels that were painted, one region per frame that changed some.
  private(set) var painted: [Region] = []

  private let painter = ScenePainter()
  private var pixels: [UInt32]
  private let pipe = Pipe()
  private var events: [WindowEvent] = []

  init() {
    let (width, height) = (Int(768 * Self.scale), Int(700 * Self.scale))
    size = WindowSize(surface: (width, height), units: width, density: Self.scale)
    pixels = [UInt32](repeating: 0, count: width * height)
  }

  var descriptor: Int32? { pipe.fileHandleForReading.fileDescriptor }

  /// Makes the descriptor readable.
  func send(_ new: [WindowEvent]) {
    if events.isEmpty { pipe.fileHandleForWriting.write(Data([0])) }
    events += new
  }

  func takeEvents() -> [WindowEvent] {
    if !events.isEmpty { _ = pipe.fileHandleForReading.readData(ofLength: 1) }
    defer { events = [] }
    return events
  }

  func show(_ history: SceneHistory, isNew: Bool) throws {
    frames += 1
    guard isNew, let scene = history.scene else { return }
    let damage = history.damage(age: 1)
    painted.append(damage)
    pixels.withUnsafeMutableBufferPointer { pixels in
      guard let start = pixels.baseAddress else { return }
      let buffer = PixelBuffer(start, stride: scene.size.width, size: scene.size)
      painter.paint(scene, damage, into: buffer)
    }
  }

  /// The pixels of `rect`, which is in points.
  func pixels(in rect: Rect) -> [UInt32] {
    let (x, y) = (Int(rect.origin.x * Self.scale), Int(rect.origin.y * Self.scale))
    let side = Int((rect.size.width * Self.scale).rounded(.up))
    return (y..<y + side).flatMap { row in
      pixels[row * size.pixels.width + x..<row * size.pixels.width + x + side]
    }
  }
}

/// Runs `body` with a player of `variant` that has shown its first frame. Its
/// loop has a virtual clock.
func withPlayer(
  _ variant: FeedVariant,
  on screen: any FeedScreen,
  _ body: (WindowPlayer, SteppedLoop) throws -> Void
) throws {
  let stepped = try SteppedLoop()
  do {
    let settings = WindowPlayer.Settings(variant)
    let player = try WindowPlayer(settings, on: stepped.loop, screen: screen, corpus: smallCorpus())
    try player.start()
    try body(player, stepped)
    try player.end()
    stepped.waitForTransactions()
  } catch {
    // try?: reports the test's own error instead of an error of close().
    try? stepped.close()
    throw error
  }
  try stepped.close()
}

extension WindowPlayer {
  /// Advances the clock until all cards are drawn and nothing moves.
  func rest(_ stepped: SteppedLoop) {
    // Workers are real threads, so the number of frames until then differs.
    while feed.metrics.shown + feed.metrics.givenUp < feed.metrics.wanted {
      stepped.advance(by: .milliseconds(100))
    }
    stepped.advance(by: .seconds(10))
    #expect(isAtRest)
  }
}
