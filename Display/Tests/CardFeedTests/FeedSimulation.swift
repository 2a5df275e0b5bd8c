import AsyncDisplay
import CardFeed
import LoopTransactionsTesting

/// A feed without threads, whose user and workers act at random.
struct FeedSimulation {
  /// The number of pixels per point, small so that pictures are small.
  static let scale = 0.15

  private(set) var model: FeedModel
  private(set) var time = 0.0
  private var random: SeededGenerator
  private let builder: SceneBuilder
  private let pool = BitmapPool()
  private var pictures: [Int: (bitmap: Bitmap, alpha: Double)] = [:]
  private var details: Bitmap?
  private var graph: Bitmap?

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    builder = SceneBuilder(try SceneArt(scale: Self.scale, from: pool))
    model = FeedModel(try smallCorpus(), count: 40, size: Size(width: 500, height: 400))
  }

  /// The scene of the current state.
  func scene() throws -> Scene {
    let pixels = try PixelSize(model.size, scale: Self.scale)
    let size = pixels ?? PixelSize(width: 1, height: 1)
    var scene = builder.scene(of: frame, model, details: details, size: size, at: time)
    if let graph { builder.add(graph, to: &scene) }
    return scene
  }

  /// The visible cards.
  var visible: [Int] {
    let position = model.scroller.position(at: time)
    return model.layout.cards(from: position, to: position + model.size.height)
  }

  private var frame: FeedFrame {
    var frame = FeedFrame()
    frame.position = model.scroller.position(at: time)
    frame.tiles = visible.map { index in
      FeedFrame.Tile(
        index: index,
        frame: model.frame(of: index, at: time),
        contents: pictures[index]?.bitmap,
        alpha: pictures[index]?.alpha ?? 0
      )
    }
    return frame
  }

  /// Makes one random change.
  mutating func change() throws {
    time += 0.016
    switch number(14) {
    case 0: input(.wheel(Double(number(5)) - 2))
    case 1: input(.keyDown([.up, .down, .stop, .home, .end][number(5)]))
    case 2: input(.keyDown([.next, .previous][number(2)]))
    case 3: input(.keyDown(.like))
    case 4: input(.keyDown([.open, .close][number(2)]))
    case 5, 6: try arrive()
    case 7: fade()
    case 8: leave()
    case 9: press()
    case 10: input(.dragged(point()))
    case 11: input(.released(point()))
    case 12: try changeOverlay()
    default: resize()
    }
    if model.details == nil { details = nil }
  }

  mutating func input(_ input: FeedInput) { model.handle(input, at: time) }

  private mutating func number(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

  private mutating func point() -> Point {
    Point(x: Double(number(Int(model.size.width))), y: Double(number(Int(model.size.height))))
  }

  // Half of the touches begin in a like button.
  private mutating func press() {
    guard number(2) == 0, let card = visible.first else { return input(.pressed(point())) }
    let button = FeedParts.like(in: model.frame(of: card, at: time))
    input(.pressed(Point(x: button.midX, y: button.midY)))
    if number(2) == 0 { input(.released(Point(x: button.midX, y: button.midY))) }
  }

  private mutating func resize() {
    guard number(3) == 0 else { return }
    let size = Size(width: Double(320 + number(500)), height: Double(150 + number(350)))
    model.resize(to: size, at: time)
  }
}

// Pictures.
extension FeedSimulation {
  private mutating func picture(_ size: Size, alpha: Double = 1) throws -> Bitmap? {
    guard let pixels = try PixelSize(size, scale: Self.scale) else { return nil }
    let colors = (0..<2).map { _ in
      Color(
        red: Double(number(256)) / 255,
        green: Double(number(256)) / 255,
        blue: Double(number(256)) / 255,
        alpha: alpha
      )
    }
    return try Bitmap.draw(pixels, scale: Self.scale, from: pool) { context in
      // The gradient does not cover the whole of the last pixels.
      if alpha == 1 { context.fill(with: colors[0]) }
      let gradient = Gradient([.init(0, colors[0]), .init(1, colors[1])])
      try context.fill(Rect(size: size), with: gradient)
    }
  }

  private mutating func arrive() throws {
    let cards = visible
    guard !cards.isEmpty else { return }
    let card = cards[number(cards.count)]
    guard let bitmap = try picture(model.layout.frames[card].size) else { return }
    pictures[card] = (bitmap, number(2) == 0 ? 1 : 0.3)
  }

  private mutating func fade() {
    for (card, picture) in pictures where picture.alpha < 1 {
      pictures[card]?.alpha = min(1, picture.alpha + 0.1)
    }
  }

  private mutating func leave() {
    if let card = pictures.keys.min() { pictures[card] = nil }
  }

  private mutating func changeOverlay() throws {
    guard model.details != nil else {
      graph = try graph == nil ? picture(Size(width: 120, height: 60), alpha: 0.6) : nil
      return
    }
    let panel = FeedParts.panel(in: model.size)
    let height = panel.size.height + Double(number(300))
    details = try picture(Size(width: panel.size.width, height: height))
    model.setDetailsHeight(height)
  }
}
