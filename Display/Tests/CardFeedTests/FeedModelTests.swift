import AsyncDisplay
import CardFeed
import Testing

@Suite("Model of the feed")
struct FeedModelTests {
  private func model(width: Double = 768, height: Double = 700) throws -> FeedModel {
    FeedModel(try smallCorpus(), count: 60, size: Size(width: width, height: height))
  }

  private func middle(_ rect: Rect) -> Point { Point(x: rect.midX, y: rect.midY) }

  private func tap(_ model: inout FeedModel, _ point: Point, at time: Double = 0) {
    model.handle(.pressed(point), at: time)
    model.handle(.released(point), at: time)
  }

  @Test("a tap on a like button toggles this card only, and a tap on a card opens it")
  func taps() throws {
    var model = try model()
    let card = model.frame(of: 1, at: 0)
    let button = middle(FeedParts.like(in: card))
    model.handle(.pressed(button), at: 0)
    #expect(model.pressedLike == 1 && model.likes.isEmpty)
    model.handle(.released(button), at: 0)
    #expect(model.pressedLike == nil && model.likes == [1] && model.details == nil)
    tap(&model, button)
    #expect(model.likes.isEmpty)
    tap(&model, middle(card))
    #expect(model.details?.index == 1)
    tap(&model, middle(FeedParts.detailsLike(in: FeedParts.panel(in: model.size))))
    #expect(model.likes == [1] && model.details?.index == 1)
    tap(&model, middle(FeedParts.close(in: FeedParts.panel(in: model.size))))
    #expect(model.details == nil)
    tap(&model, Point(x: 1, y: 1))
    #expect(model.details == nil && model.likes == [1])
  }

  @Test("a touch that leaves the like button before it ends changes nothing")
  func leaves() throws {
    var model = try model()
    let button = middle(FeedParts.like(in: model.frame(of: 0, at: 0)))
    model.handle(.pressed(button), at: 0)
    model.handle(.dragged(Point(x: button.x, y: button.y + 90)), at: 0.1)
    #expect(model.pressedLike == nil)
    model.handle(.released(Point(x: button.x, y: button.y + 90)), at: 0.2)
    #expect(model.likes.isEmpty && model.details == nil && !model.isMoving(at: 0.2))
  }

  @Test("a drag follows the finger and ends in a fling, which a touch stops without a tap")
  func drags() throws {
    var model = try model()
    let start = middle(model.frame(of: 0, at: 0))
    model.handle(.pressed(start), at: 0)
    for step in 1...5 {
      let (point, time) = (Point(x: start.x, y: start.y - 20 * Double(step)), 0.01 * Double(step))
      model.handle(.dragged(point), at: time)
      #expect(abs(model.scroller.position(at: time) - 20 * Double(step)) < 1e-9)
    }
    model.handle(.released(Point(x: start.x, y: start.y - 100)), at: 0.05)
    #expect(model.isMoving(at: 0.05) && model.scroller.position(at: 1) > 100)
    tap(&model, start, at: 0.2)
    #expect(!model.isMoving(at: 0.2) && model.details == nil && model.likes.isEmpty)
    model.handle(.pressed(start), at: 1)
    model.handle(.cancelled, at: 1.1)
    #expect(model.details == nil)
  }

  @Test("a notch of the wheel glides by 112 points, parts of it by parts, and notches add up")
  func wheel() throws {
    var model = try model()
    model.handle(.wheel(1), at: 0)
    var last = 0.0
    for frame in 1...15 {
      let position = model.scroller.position(at: Double(frame) / 60)
      #expect(position > last && position - last < 24, "frame \(frame)")
      last = position
    }
    #expect(last == 112 && !model.isMoving(at: 0.25))
    for part in 1...4 { model.handle(.wheel(0.25), at: 1 + 0.01 * Double(part)) }
    #expect(abs(model.scroller.position(at: 2) - 224) < 1e-9)
    for notch in 1...5 { model.handle(.wheel(1), at: 3 + 0.05 * Double(notch)) }
    #expect(abs(model.scroller.position(at: 4) - 784) < 1e-9)
  }

  @Test("a notch backwards ends a glide forwards, and a glide ends at the end of the feed")
  func turns() throws {
    var model = try model()
    model.handle(.wheel(5), at: 0)
    let position = model.scroller.position(at: 0.1)
    model.handle(.wheel(-1), at: 0.1)
    #expect(abs(model.scroller.position(at: 1) - (position - 112)) < 1e-9)
    model.handle(.wheel(-90), at: 1)
    #expect(model.scroller.position(at: 2) == 0)
    model.handle(.wheel(-1), at: 2)
    #expect(!model.isMoving(at: 2))
    model.handle(.wheel(1), at: 2.1)
    #expect(model.scroller.position(at: 3) == 112)
  }

  @Test("a page is nine tenths of the view in front")
  func pages() throws {
    var model = try model(height: 700)
    model.handle(.keyDown(.pageDown), at: 0)
    model.handle(.keyDown(.pageDown), at: 1)
    #expect(model.scroller.position(at: 2) == 1260)
    model.handle(.keyDown(.pageUp), at: 2)
    #expect(model.scroller.position(at: 3) == 630)
  }

  @Test("wheel and keys scroll the view in front")
  func scrolls() throws {
    var model = try model()
    model.handle(.wheel(1), at: 0)
    #expect(model.isMoving(at: 0) && model.scroller.position(at: 1) > 100)
    model.handle(.keyDown(.stop), at: 1)
    let position = model.scroller.position(at: 1)
    #expect(!model.isMoving(at: 1))
    model.handle(.keyDown(.open), at: 1)
    model.setDetailsHeight(2000)
    model.handle(.keyDown(.end), at: 1)
    #expect(model.scroller.position(at: 9) == position)
    let panel = FeedParts.panel(in: model.size)
    #expect(model.details?.scroller.position(at: 9) == 2000 - panel.size.height)
    model.handle(.keyDown(.close), at: 9)
    model.handle(.keyDown(.end), at: 9)
    #expect(model.scroller.position(at: 9) == model.scroller.range.upperBound)
    model.handle(.keyDown(.up), at: 9)
    #expect(model.isMoving(at: 9))
    model.handle(.keyUp(.up), at: 9.5)
    #expect(!model.isMoving(at: 9.5))
    model.handle(.keyDown(.home), at: 10)
    #expect(model.scroller.position(at: 10) == 0)
  }

  @Test("the keys that move the focus visit all cards and keep the focused card visible")
  func focus() throws {
    var model = try model()
    model.handle(.keyDown(.next), at: 0)
    for index in 0..<60 {
      #expect(model.focus == index)
      let frame = model.frame(of: index, at: 0)
      #expect(frame.origin.y >= 0 && frame.origin.y < model.size.height)
      model.handle(.keyDown(.like), at: 0)
      #expect(model.likes.contains(index))
      model.handle(.keyDown(.next), at: 0)
    }
    #expect(model.focus == 59)
    model.handle(.keyDown(.previous), at: 0)
    #expect(model.focus == 58)
    model.handle(.keyDown(.open), at: 0)
    #expect(model.details?.index == 58)
  }

  @Test("a resized feed keeps its first visible card in place, in as many columns as fit")
  func resizes() throws {
    var model = try model()
    model.handle(.wheel(8), at: 0)
    model.handle(.keyDown(.stop), at: 1)
    for (width, columns) in [(1000.0, 3), (340, 1), (2000, 6), (768, 2)] {
      let position = model.scroller.position(at: 1)
      let first = try #require(
        model.layout.cards(from: position, to: position + model.size.height).first
      )
      let before = model.frame(of: first, at: 1).origin.y
      model.resize(to: Size(width: width, height: 500), at: 1)
      #expect(abs(model.frame(of: first, at: 1).origin.y - before) < 1e-9)
      #expect(Set(model.layout.frames.map(\.origin.x)).count == columns)
      #expect(model.layout.frames.allSatisfy { $0.origin.x >= 0 && $0.maxX <= width })
    }
  }
}
