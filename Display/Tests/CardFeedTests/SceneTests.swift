import AsyncDisplay
import CardFeed
import LoopTransactionsTesting
import Testing

@Suite("Scenes")
struct SceneTests {
  /// The buffers of a screen. Each knows the scene that it shows.
  private struct Buffer {
    var pixels: [UInt32] = []
    var size: PixelSize?
    var frame = 0

    // Undefined pixels, which no scene contains.
    mutating func resize(to size: PixelSize) {
      pixels = [UInt32](repeating: 0xDEAD_BEEF, count: size.width * size.height)
      self.size = size
    }

    mutating func paint(_ scene: Scene, _ region: Region, _ painter: ScenePainter) {
      pixels.withUnsafeMutableBufferPointer { pixels in
        guard let start = pixels.baseAddress else { return }
        let buffer = PixelBuffer(start, stride: scene.size.width, size: scene.size)
        painter.paint(scene, region, into: buffer)
      }
    }
  }

  private func redrawn(_ scene: Scene, _ painter: ScenePainter) -> [UInt32] {
    var buffer = Buffer()
    buffer.resize(to: scene.size)
    buffer.paint(scene, Region(scene.bounds), painter)
    return buffer.pixels
  }

  // D15
  @Test("a buffer of any age equals a full redraw after only its damage was painted")
  func damage() throws {
    var (simulation, random) = (try FeedSimulation(seed: 15), SeededGenerator(seed: 3))
    let painter = ScenePainter()
    var (history, buffers) = (SceneHistory(), [Buffer](repeating: Buffer(), count: 3))
    var (frame, latest, painted, all) = (0, 0, 0, 0)
    for step in 0..<(Workload.isFull ? 100_000 : Workload.count(3000)) {
      try simulation.change()
      let scene = try simulation.scene()
      let expected = redrawn(scene, painter)
      guard history.add(scene) else {
        // The buffer that is shown needs no change.
        try #require(buffers[latest].pixels == expected, "step \(step): unchanged")
        continue
      }
      frame += 1
      latest = Int(random.next() % 3)
      let age = buffers[latest].size == scene.size ? frame - buffers[latest].frame : 0
      if age == 0 { buffers[latest].resize(to: scene.size) }
      let damage = history.damage(age: age)
      buffers[latest].paint(scene, damage, painter)
      buffers[latest].frame = frame
      (painted, all) = (painted + damage.area, all + expected.count)
      try #require(buffers[latest].pixels == expected, "step \(step): age \(age)")
      #expect(!expected.contains(0xDEAD_BEEF) && damage.clipped(to: scene.bounds) == damage)
    }
    #expect(painted < all)
  }

  // D15
  @Test("a like damages only its button, and an equal scene damages nothing")
  func like() throws {
    var simulation = try FeedSimulation(seed: 1)
    var history = SceneHistory()
    #expect(history.add(try simulation.scene()))
    #expect(history.add(try simulation.scene()) == false)
    let card = try #require(simulation.visible.first)
    let button = FeedParts.like(in: simulation.model.frame(of: card, at: 0))
    let touch = Point(x: button.midX, y: button.midY)
    for input in [FeedInput.pressed(touch), .released(touch)] {
      simulation.input(input)
      #expect(history.add(try simulation.scene()))
      let side = Int((FeedParts.buttonSize * FeedSimulation.scale).rounded(.up))
      #expect(history.damage(age: 1).area == side * side)
    }
    #expect(simulation.model.likes == [card])
  }

  @Test("a buffer that is too old, or of another size, is redrawn as a whole")
  func old() throws {
    var simulation = try FeedSimulation(seed: 1)
    var history = SceneHistory()
    #expect(history.damage(age: 0).isEmpty)
    let first = try simulation.scene()
    _ = history.add(first)
    for age in [-1, 0, 1, 9] { #expect(history.damage(age: age) == Region(first.bounds)) }
    for _ in 0...SceneHistory.oldest {
      simulation.input(.keyDown(.like))
      _ = history.add(try simulation.scene())
    }
    for age in 1...SceneHistory.oldest {
      #expect(history.damage(age: age).area < first.size.width * first.size.height)
    }
    #expect(history.damage(age: SceneHistory.oldest + 1) == Region(first.bounds))
    var other = first
    other.size = PixelSize(width: 7, height: 7)
    _ = history.add(other)
    #expect(history.damage(age: 1) == Region(other.bounds))
  }

  @Test("a rounded card shows its picture in the middle and the background at its corners")
  func corners() throws {
    let (pool, side) = (BitmapPool(), 24)
    let size = PixelSize(width: side, height: side)
    let red = try Bitmap.draw(size, from: pool) {
      $0.fill(with: Color(red: 1, green: 0, blue: 0))
    }
    var scene = Scene(size: size, background: 0xFF00_00FF)
    let frame = PixelRect(x: 0, y: 0, width: side, height: side)
    scene.items = [Scene.Item(.card(0), frame, .bitmap(red, isOpaque: true), radius: 8)]
    let pixels = redrawn(scene, ScenePainter())
    #expect(pixels[0] == 0xFF00_00FF && pixels[side * side - 1] == 0xFF00_00FF)
    #expect(pixels[side * side / 2 + side / 2] == 0xFFFF_0000)
    // Corners are mirror images of each other, and their edges are smooth.
    for y in 0..<side {
      let row = Array(pixels[y * side..<(y + 1) * side])
      #expect(row == row.reversed())
      #expect(row == Array(pixels[(side - 1 - y) * side..<(side - y) * side]))
    }
    #expect(pixels.contains { $0 != 0xFF00_00FF && $0 != 0xFFFF_0000 })
    #expect(pixels.allSatisfy { $0 >> 24 == 255 })
  }
}
