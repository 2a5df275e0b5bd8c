@testable import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Backlog")
struct BacklogTests {
  private final class Item {
    let name: Int
    var place: Backlog<Item>.Place?
    var priority = OperationPriority.normal
    init(_ name: Int) { self.name = name }
  }

  // D8
  @Test("after each of 20,000 random steps the backlog has the order of a stably sorted list")
  func order() {
    var generator = SeededGenerator(seed: 2026)
    func pick(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }
    let items = (0..<300).map { Item($0) }
    var (backlog, list) = (Backlog<Item>(), [Item]())
    var breaches = 0
    for step in 0..<20_000 {
      let item = items[pick(items.count)]
      if let place = item.place {
        #expect(backlog[place] === item)
        backlog.remove(place)
        item.place = nil
        list.removeAll { $0 === item }
      } else {
        // The levels are few, and include both ends of each 64-bit word.
        let levels = [-128, -65, -64, -1, 0, 63, 64, 127]
        item.priority = OperationPriority(levels[pick(levels.count)])
        item.place = backlog.append(item, item.priority)
        let index = list.firstIndex { $0.priority < item.priority } ?? list.count
        list.insert(item, at: index)
      }
      if backlog.first !== list.first || backlog.count != list.count { breaches += 1 }
      if step % 500 == 0, backlog.elements.map(\.name) != list.map(\.name) { breaches += 1 }
    }
    #expect(breaches == 0 && backlog.isEmpty == list.isEmpty)
  }

  // D8. The test compares a count, not a time.
  @Test(
    "a completed display does not make the commit examine all waiting layers again",
    arguments: [true, false]
  )
  func linear(_ arePictures: Bool) throws {
    // Only one bitmap fits into the limit.
    try withDisplay(workers: 1, inFlightLimit: 64) { display in
      let (painter, count) = (Painter(), 500)
      let layers = (0..<(arePictures ? 0 : count)).map { _ in Layer(in: display, painter) }
      for layer in layers { layer.setNeedsDisplay() }
      let nodes = (0..<(arePictures ? count : 0)).map { number in
        let node = ImageNode()
        node.frame = Rect(x: 0, y: 0, width: 4, height: 4)
        node.image = .data(Pictures.file("png", 4, 4))
        node.modification = ImageModification("\(number)") { bitmap, _, _ in bitmap }
        node.load(in: display)
        return node
      }
      let isFinished = display.settle()
      #expect(isFinished && display.metrics.displayed == count)
      #expect(display.examinedCount <= 6 * count, "\(display.examinedCount)")
      #expect(nodes.allSatisfy { $0.layer?.contents != nil })
      #expect(layers.allSatisfy { $0.contents != nil })
    }
  }

  // D8
  @Test("a waiting picture that is cancelled, reprioritized or released leaves nothing behind")
  func pictures() throws {
    try withDisplay(workers: 1, inFlightLimit: 256) { display in
      let (gate, other, trace) = (Gate(), Gate(), Trace())
      func node(_ name: String) -> ImageNode {
        let node = ImageNode()
        node.frame = Rect(x: 0, y: 0, width: 4, height: 4)
        node.image = .data(Pictures.file("png", 8, 8))
        node.modification = ImageModification(name) { bitmap, _, _ in
          if name == "first" { gate.wait() }
          if name == "same" { other.wait() }
          trace.record(name)
          return bitmap
        }
        node.load(in: display)
        return node
      }
      let first = node("first")
      var gone: ImageNode? = node("gone")
      let names = ["a", "b", "c", "same", "same", "last"]
      let waiting = names.map { node($0) }
      // Each picture waits only once, however often it is requested.
      for _ in 0..<1000 {
        waiting[0].cancelDisplay()
        waiting[0].displayIfNeeded()
      }
      #expect(display.undecodedCount == 7)
      waiting[2].priority = .high
      waiting[1].cancelDisplay()
      waiting[5].priority = .low
      weak let witness = gone
      gone = nil
      #expect(witness == nil && display.undecodedCount == 5)
      gate.open()
      let deadline = LoopClock.now.advanced(by: .seconds(20))
      while display.undecodedCount > 2, LoopClock.now < deadline { display.loop.run(.noWait) }
      // The two "same" pictures share one decoding, so they use memory once.
      #expect(display.undecodedCount == 2)
      other.open()
      let isFinished = display.settle()
      #expect(isFinished && first.layer?.contents != nil)
      #expect(trace.events == ["first", "c", "same", "a", "last"])
      #expect(waiting.filter { $0.layer?.contents != nil }.count == 5)
      #expect(display.undecodedCount == 0 && display.metrics.inFlightBytes == 0)
    }
  }

  // D7, D8
  @Test("a waiting layer may change its size, mode and priority")
  func changes() throws {
    try withDisplay(workers: 1, inFlightLimit: 64) { display in
      let gate = Gate()
      display.scheduler.add(priority: .interactive) { _ in gate.wait() }
      let (trace, names) = (Trace(), ["a", "b", "c", "d", "e"])
      let painters = names.map { Painter(trace, name: "\($0) ") }
      let layers = painters.map { Layer(in: display, $0) }
      for layer in layers { layer.setNeedsDisplay() }
      display.loop.run(.noWait)
      #expect(layers[0].isDisplaying && display.metrics.waiting == 4)
      layers[1].size = .zero
      layers[2].displaysAsynchronously = false
      layers[4].priority = .high
      // Setting any limit triggers the commit.
      display.inFlightLimit = 64
      display.loop.run(.noWait)
      #expect(!layers[1].needsDisplay && layers[2].contents != nil)
      #expect(display.metrics.waiting == 2)
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished && display.metrics.waiting == 0)
      let wills = trace.events.filter { $0.contains("will") }
      #expect(wills == ["a will 1", "b will 1", "c will 1", "e will 1", "d will 1"])
    }
  }
}
