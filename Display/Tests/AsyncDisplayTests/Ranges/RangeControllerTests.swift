import AsyncDisplay
import Foundation
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("RangeController")
struct RangeControllerTests {
  /// Returns a column of items and their controller. Each item is 100 points
  /// high. The viewports of the tests are 400 points high.
  private func makeFeed(
    _ display: Display,
    _ count: Int = 40,
    _ trace: Trace = Trace()
  ) -> (ranges: RangeController, cards: [FeedCard]) {
    let ranges = RangeController(on: display)
    let cards = (0..<count).map { FeedCard($0, trace) }
    ranges.items = cards
    return (ranges, cards)
  }

  private func viewport(_ top: Double) -> Rect { Rect(x: 0, y: top, width: 100, height: 400) }

  private func places(_ cards: [FeedCard], _ place: RangePlace) -> [Int] {
    cards.indices.filter { cards[$0].place >= place }
  }

  // D12
  @Test("the first update uses the minimum mode, and a scroll reaches further ahead than behind")
  func modes() throws {
    try withDisplay { display in
      let (ranges, cards) = makeFeed(display)
      ranges.viewport = viewport(1000)
      #expect(ranges.currentMode == .minimum)
      ranges.update()
      #expect(places(cards, .visible) == Array(10..<14))
      #expect(places(cards, .display) == Array(9..<15))
      #expect(places(cards, .preload) == Array(9..<16))
      ranges.viewport = viewport(1100)
      ranges.update()
      #expect(ranges.currentMode == .full && ranges.isForward)
      #expect(places(cards, .visible) == Array(11..<15))
      #expect(places(cards, .display) == Array(9..<19))
      #expect(places(cards, .preload) == Array(5..<25))
      ranges.viewport = viewport(1000)
      ranges.update()
      #expect(!ranges.isForward)
      #expect(places(cards, .display) == Array(6..<16))
      // Scrolling across the axis keeps the direction. Setting the same
      // position again moves no item.
      let calls = cards.map(\.moves)
      ranges.viewport.origin.x += 10
      ranges.update()
      #expect(!ranges.isForward && cards.map(\.moves) == calls)
      for mode in [RangeMode.visibleOnly, .lowMemory] {
        ranges.mode = mode
        ranges.update()
        #expect(places(cards, .preload) == Array(10..<14))
        #expect(places(cards, .display) == (mode == .lowMemory ? [] : Array(10..<14)))
      }
      ranges.mode = nil
      ranges.isVisible = false
      ranges.update()
      #expect(places(cards, .visible) == [])
      #expect(places(cards, .display) == Array(10..<14))
    }
  }

  // D12
  @Test("each mode keeps its own tunings, and a leading of two screens preloads eight more items")
  func tunings() throws {
    try withDisplay { display in
      let (ranges, cards) = makeFeed(display)
      for (number, mode) in RangeMode.allCases.enumerated() {
        let length = Double(number)
        ranges[mode, .display] = RangeTuning(leading: length, trailing: length + 1)
        ranges[mode, .preload] = RangeTuning(leading: length + 2, trailing: length + 3)
      }
      for (number, mode) in RangeMode.allCases.enumerated() {
        let length = Double(number)
        #expect(ranges[mode, .display] == RangeTuning(leading: length, trailing: length + 1))
        #expect(ranges[mode, .preload] == RangeTuning(leading: length + 2, trailing: length + 3))
      }
      ranges[.minimum, .display] = .none
      ranges[.minimum, .preload] = RangeTuning(leading: 2, trailing: 0)
      ranges.viewport = viewport(0)
      ranges.update()
      #expect(places(cards, .display) == Array(0..<4))
      #expect(places(cards, .preload) == Array(0..<12))
    }
  }

  // D12
  @Test(
    "an inserted item is preloaded once, if a range includes it, and other items are unaffected"
  )
  func insertion() throws {
    try withDisplay { display in
      var (ranges, cards) = makeFeed(display)
      ranges.viewport = viewport(0)
      let isIdle = display.settle()
      #expect(isIdle)
      let nodes = cards.map { $0.node.map(ObjectIdentifier.init) }
      let moves = cards.map(\.moves)
      ranges.setNeedsUpdate()
      let isSame = display.settle()
      #expect(isSame && cards.map { $0.node.map(ObjectIdentifier.init) } == nodes)
      #expect(cards.map(\.moves) == moves)
      let new = FeedCard(2, Trace())
      for card in cards[2...] { card.frame.origin.y += 100 }
      cards.insert(new, at: 2)
      ranges.items = cards
      let isInserted = display.settle()
      #expect(isInserted && new.moves == 1 && new.place == .visible && new.builds == 1)
      #expect(cards[3].builds == 1 && cards[0].moves == 1)
      ranges.mode = .visibleOnly
      let far = FeedCard(4, Trace())
      ranges.items.append(far)
      let isDone = display.settle()
      #expect(isDone && far.moves == 0 && far.builds == 0)
    }
  }

  // D12
  @Test("the nearest items are drawn first, and waiting items change priority with the scroll")
  func priorities() throws {
    try withDisplay(workers: 1) { display in
      let trace = Trace()
      let (ranges, cards) = makeFeed(display, 40, trace)
      let gate = Gate()
      display.scheduler.add(priority: .interactive) { _ in gate.wait() }
      ranges.mode = .full
      ranges.viewport = viewport(0)
      display.loop.run(.noWait)
      #expect(cards.prefix(8).allSatisfy { $0.node?.layer?.isDisplaying == true })
      ranges.viewport = viewport(300)
      display.loop.run(.noWait)
      let levels = cards[0..<11].map { $0.node?.priority.rawValue ?? -128 }
      // Items 3 to 6 are visible. Items ahead have a higher priority than items
      // behind.
      #expect(levels[3...6].allSatisfy { $0 == 63 })
      #expect(zip(levels[6...9], levels[7...10]).allSatisfy { $0 >= $1 } && levels[8] < 63)
      #expect(levels[8] > levels[1] && levels[2] == 63)
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished)
      let drawn = trace.events.filter { $0.hasPrefix("draw") }.compactMap { Int($0.dropFirst(5)) }
      // The aging slot sometimes picks the oldest operation, beginning with
      // item 0. All other operations are picked by priority.
      let near = drawn.lastIndex { 3...6 ~= $0 } ?? 100
      let far = drawn.firstIndex { $0 >= 8 } ?? 0
      #expect(near < far, "\(drawn)")
    }
  }

  // D12
  @Test("an item that leaves is cancelled, frees its worker and drops its bitmap")
  func leaves() throws {
    try withDisplay(workers: 1) { display in
      let (ranges, cards) = makeFeed(display)
      let began = Gate()
      cards[0].work = { isCancelled in
        began.open()
        while !isCancelled() {}
      }
      ranges.mode = .full
      ranges.viewport = viewport(0)
      display.loop.run(.noWait)
      #expect(began.wait())
      ranges.viewport = viewport(2000)
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(display.metrics.cancelled > 0 && cards[0].node == nil && cards[0].place == .outside)
      #expect(cards.filter { $0.node?.layer?.contents != nil }.count == 10)
      #expect(display.pool.metrics.lent == 10)
      // In the preload range the node remains without a bitmap. It is redrawn
      // when it returns.
      ranges.viewport = viewport(2400)
      let isMoved = display.settle()
      let card = cards[20]
      #expect(isMoved && card.place == .preload && card.node?.isDetached == true)
      #expect(card.node?.layer?.contents == nil && card.builds == 1)
      ranges.viewport = viewport(2000)
      let isBack = display.settle()
      #expect(isBack && card.node?.layer?.contents != nil && card.builds == 1)
      ranges.items = []
      let isEmpty = display.settle()
      #expect(isEmpty && display.pool.metrics.lent == 0 && cards.allSatisfy { $0.node == nil })
    }
  }

  // D12, D8
  @Test("an item that leaves the display range drops its decoded image and gets it again later")
  func pictures() throws {
    try withDisplay { display in
      let (ranges, item) = (RangeController(on: display), PictureItem())
      (ranges.items, ranges.mode) = ([item], .full)
      for top in [0.0, 500, 0, 5000] {
        ranges.viewport = viewport(top)
        let isFinished = display.settle()
        // A worker may still retain the image for a moment.
        let (count, deadline) = (top == 0 ? 2 : 0, LoopClock.now.advanced(by: .seconds(20)))
        while display.pool.metrics.lent != count, LoopClock.now < deadline {}
        #expect(isFinished && display.pool.metrics.lent == count, "at \(top)")
      }
    }
  }

  // D12
  @Test("an item that leaves and returns within a tick is not moved, cancelled or drawn")
  func coalesces() throws {
    try withDisplay { display in
      let (ranges, cards) = makeFeed(display)
      ranges.mode = .full
      ranges.viewport = viewport(0)
      let isIdle = display.settle()
      #expect(isIdle)
      let (begun, moves) = (display.metrics.begun, cards.map(\.moves))
      for top in stride(from: 0.0, through: 3000, by: 100) { ranges.viewport = viewport(top) }
      // The viewport returns with the same scroll direction as before.
      ranges.viewport = viewport(-1)
      ranges.viewport = viewport(0)
      let isDone = display.settle()
      #expect(isDone && display.metrics.begun == begun && cards.map(\.moves) == moves)
    }
  }

  // D12
  @Test("a node built later is displayed according to its item's current position")
  func builtLater() throws {
    try withDisplay { display in
      let (ranges, cards) = makeFeed(display, 8)
      for card in cards { card.buildsLater = display }
      for card in cards { card.onBuilt = { [weak ranges] in ranges?.setNeedsUpdate() } }
      ranges.viewport = viewport(0)
      display.loop.run(.noWait)
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(cards.prefix(5).allSatisfy { $0.node?.layer?.contents != nil })
      #expect(cards[5].node?.layer == nil && cards[5].node != nil && cards[7].node == nil)
    }
  }

  // D12, D2
  @Test("releasing a controller unloads its nodes and cancels their displays")
  func letGo() throws {
    try withDisplay(workers: 1) { display in
      var (ranges, cards): (RangeController?, [FeedCard]) = makeFeed(display, 8)
      ranges?.viewport = viewport(0)
      ranges?.update()
      let near = cards.filter { $0.node?.isLoaded == true }
      #expect(near.count > 3)
      display.loop.run(.noWait)
      weak let gone = ranges
      ranges = nil
      #expect(gone == nil)
      #expect(near.allSatisfy { $0.node?.isLoaded == false && $0.node?.layer == nil })
      #expect(display.settle() && display.metrics.inFlightBytes == 0)
    }
  }

  @Test("invalid frames and viewports have a defined result, and invalid tunings trap")
  func odd() async throws {
    try withDisplay { display in
      let (ranges, cards) = makeFeed(display, 4)
      cards[1].frame = Rect(x: 0, y: .nan, width: 1, height: 1)
      cards[2].frame = Rect(x: 0, y: 0, width: 1, height: -5)
      cards[3].frame = Rect(x: 0, y: 0, width: 1, height: 1e300)
      ranges.framesDidChange()
      for rect in [
        Rect.zero, Rect(x: .nan, y: 0, width: 1, height: 1),
        Rect(x: 0, y: .infinity, width: 1, height: 1), Rect(x: 0, y: 0, width: 1, height: -1),
      ] {
        ranges.viewport = rect
        ranges.update()
        #expect(cards.allSatisfy { $0.moves == 0 })
      }
      ranges.viewport = viewport(0)
      ranges.update()
      #expect(places(cards, .visible) == [0, 3])
      // The frame is higher than the largest bitmap, so the display fails.
      let isFinished = display.settle()
      #expect(isFinished && display.metrics.failed == 1)
      ranges.axis = .horizontal
      ranges.update()
      #expect(places(cards, .visible) == [0, 3])
    }
    await #expect(processExitsWith: .failure) {
      let ranges = RangeController(on: Display(on: try EventLoop()))
      ranges[.full, .display] = RangeTuning(leading: -1, trailing: 0)
      exit(EXIT_SUCCESS)
    }
    await #expect(processExitsWith: .failure) {
      let ranges = RangeController(on: Display(on: try EventLoop()))
      _ = ranges[.full, .preload]
      ranges[.full, .visible] = .none
      exit(EXIT_SUCCESS)
    }
  }
}
