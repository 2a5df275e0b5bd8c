import AsyncDisplay
import Foundation
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Decodings in flight")
struct DecodeLimitTests {
  /// Returns a node of 4 x 4 pixels, 64 bytes, that shows `image`.
  private func node(_ image: ImageSource, _ modification: ImageModification? = nil) -> ImageNode {
    let node = ImageNode()
    node.frame = Rect(x: 0, y: 0, width: 4, height: 4)
    node.image = image
    node.modification = modification
    return node
  }

  private func png(_ width: Int, _ height: Int) -> ImageSource {
    .data(Pictures.file("png", width, height))
  }

  // D8
  @Test("decodings in flight stay within the limit, and higher priorities come first")
  func bounded() throws {
    // Each image takes 2048 bytes, for the decoded bitmap and for the result of
    // the modification.
    try withDisplay(workers: 4, inFlightLimit: 2048) { display in
      let trace = Trace()
      let nodes = (0..<12).map { number in
        let modification = ImageModification("\(number)") { bitmap, _, _ in
          trace.record("\(number)")
          return bitmap
        }
        let node = node(png(16, 16), modification)
        node.load(in: display)
        node.priority = OperationPriority(number)
        return node
      }
      let isFinished = display.settle()
      #expect(isFinished && nodes.allSatisfy { $0.layer?.contents != nil })
      // The first decoding began before the other images were requested.
      #expect(trace.events == ["0"] + (1..<12).reversed().map { "\($0)" })
      #expect(display.metrics.peakInFlightBytes == 2048)
      #expect(display.metrics.inFlightBytes == 0)
    }
  }

  // D8
  @Test("an image larger than the limit is decoded alone, and equal images count once")
  func largerThanLimit() throws {
    try withDisplay(inFlightLimit: 10) { display in
      let nodes = [png(16, 16), png(16, 17), png(16, 17)].map { node($0) }
      for node in nodes { node.load(in: display) }
      let isFinished = display.settle()
      #expect(isFinished && nodes.allSatisfy { $0.layer?.contents != nil })
      #expect(display.metrics.peakInFlightBytes == 16 * 17 * 4)
    }
  }

  // D8, D10
  @Test("an image counts with the size given in its header", arguments: ["png", "jpeg"])
  func sizes(_ type: String) throws {
    let bytes = Pictures.file(type, 31, 17)
    let path = NSTemporaryDirectory() + "/picture \(UUID().uuidString)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    for source in [ImageSource.data(bytes), .file(path)] {
      try withDisplay { display in
        let node = node(source)
        node.load(in: display)
        let isFinished = display.settle()
        #expect(isFinished && node.layer?.contents != nil)
        #expect(display.metrics.peakInFlightBytes == 31 * 17 * 4)
      }
    }
  }

  // D8
  @Test("a JPEG with bytes between its segments counts with its actual size")
  func stuffed() throws {
    let good = Pictures.file("jpeg", 31, 17)
    let first = 4 + Int(good[4]) << 8 + Int(good[5])
    for stuffing in [[0], [0, 1, 2], [0xFF], [0xFF, 0], [0xFF, 0xFF]] as [[UInt8]] {
      let bytes = good[..<first] + stuffing + good[first...]
      try withDisplay { display in
        let node = node(.data(Array(bytes)))
        node.load(in: display)
        let isFinished = display.settle()
        #expect(isFinished && node.layer?.contents != nil)
        #expect(display.metrics.peakInFlightBytes == 31 * 17 * 4, "\(stuffing)")
      }
    }
  }

  // D8
  @Test("a picture whose header does not give its size counts as the largest possible picture")
  func unsaid() throws {
    let jpeg = Pictures.file("jpeg", 31, 17)
    for bytes in [Array(jpeg.prefix(30)), Array(Pictures.file("png", 31, 17).prefix(20))] {
      try withDisplay { display in
        let node = node(.data(bytes))
        node.load(in: display)
        let isFinished = display.settle()
        #expect(isFinished && node.failure is ImageError)
        #expect(display.metrics.peakInFlightBytes == 4 * PixelSize.largestArea)
      }
    }
  }

  // D8
  @Test(
    "a blur counts with its intermediate bitmaps, and a reduced blur with fewer",
    arguments: [(1, 3), (4, 2)]
  )
  func blurs(_ reduction: Int, _ count: Int) throws {
    let pool = BitmapPool(keepLimit: 0)
    try withDisplay(workers: 1, pool: pool) { display in
      let filter = BlurFilter(radius: 10, saturation: 1.5, reduction: reduction)
      let node = node(png(100, 100), .blur(filter))
      node.load(in: display)
      let isFinished = display.settle()
      #expect(isFinished && node.layer?.contents != nil)
      #expect(display.metrics.peakInFlightBytes == count * 40_000)
      // Allocation sizes are rounded up by at most an eighth.
      #expect(pool.metrics.peakLentBytes <= display.metrics.peakInFlightBytes * 9 / 8)
    }
  }

  // D8
  @Test("a blurred shadow counts with its scratch memory, once for the largest shadow of a picture")
  func shadows() throws {
    let pool = BitmapPool(keepLimit: 0)
    let shadow = TextStyle.Shadow(offset: .zero, blur: 4, color: .black)
    try withDisplay(workers: 1, inFlightLimit: 300_000, pool: pool) { display in
      let canvas = CanvasNode()
      canvas.frame = Rect(x: 0, y: 0, width: 100, height: 100)
      canvas.shadow = shadow
      let text = TextNode()
      text.frame = Rect(x: 0, y: 0, width: 50, height: 50)
      text.text = AttributedText("A", TextAttributes(font: Font("DejaVu Sans", size: 16)))
      text.style.shadow = shadow
      let root = Node()
      root.frame = Rect(x: 0, y: 0, width: 100, height: 100)
      root.rasterizesSubtree = true
      for node in [canvas, text] { root.addSubnode(node) }
      root.load(in: display)
      let isFinished = display.settle()
      #expect(isFinished && root.layer?.contents != nil)
      // There is scratch memory for three bitmaps of 100 x 100 points. The
      // canvas without its shadow is smaller by the size of the shadow's
      // margin.
      #expect(display.metrics.peakInFlightBytes == 4 * 40_000)
      #expect(pool.metrics.peakLentBytes <= display.metrics.peakInFlightBytes * 9 / 8)
      // The two pictures do not fit in memory at the same time.
      let other = TextNode()
      other.frame = Rect(x: 0, y: 0, width: 100, height: 100)
      (other.text, other.style) = (text.text, text.style)
      other.load(in: display)
      root.setNeedsDisplay()
      #expect(display.settle() && other.layer?.contents != nil)
      #expect(display.metrics.peakInFlightBytes == 40_000 + 3 * 124 * 124 * 4)
      #expect(display.metrics.inFlightBytes == 0)
    }
  }

  // D7
  @Test("images of files are decoded concurrently while the loop waits, like images of bytes")
  func waitedTogether() throws {
    let paths = (0..<3).map { _ in NSTemporaryDirectory() + "/picture \(UUID().uuidString)" }
    defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
    for isFile in [false, true] {
      // Nothing fits in the limit, but an image that the loop waits for is
      // decoded regardless.
      try withDisplay(workers: 3, inFlightLimit: 1) { display in
        let (gate, began, late) = (Gate(), Counted(), Counted())
        let root = Node()
        root.frame = Rect(x: 0, y: 0, width: 4, height: 4)
        root.rasterizesSubtree = true
        for (number, path) in paths.enumerated() {
          let bytes = Pictures.file("png", 8 + number, 8)
          try Data(bytes).write(to: URL(fileURLWithPath: path))
          let modification = ImageModification("\(number)") { bitmap, _, _ in
            if began.add() == paths.count { gate.open() }
            if !gate.wait() { late.add() }
            gate.open()
            return bitmap
          }
          root.addSubnode(node(isFile ? .file(path) : .data(bytes), modification))
        }
        root.load(in: display)
        root.waitUntilDisplayed()
        #expect(root.layer?.contents != nil && began.value == paths.count)
        // Each decoding waits until all other decodings have begun.
        #expect(late.value == 0)
      }
    }
  }

  // D7, D8
  @Test("an image that the loop waits for ignores the limit; a cancelled image is not decoded")
  func waitedFor() throws {
    try withDisplay(workers: 2, inFlightLimit: 10) { display in
      let (gate, began, count) = (Gate(), Gate(), Counted())
      let slow = ImageModification("slow") { bitmap, _, _ in
        began.open()
        gate.wait()
        return bitmap
      }
      let counted = ImageModification("counted") { bitmap, _, _ in
        count.add()
        return bitmap
      }
      let first = node(png(16, 16), slow)
      let path = NSTemporaryDirectory() + "/picture \(UUID().uuidString)"
      try Data(Pictures.file("png", 8, 8)).write(to: URL(fileURLWithPath: path))
      defer { try? FileManager.default.removeItem(atPath: path) }
      let (second, third) = (node(.file(path), counted), node(png(8, 9), counted))
      for node in [first, second, third] { node.load(in: display) }
      var unwanted: ImageNode? = node(png(8, 10), counted)
      unwanted?.load(in: display)
      #expect(began.wait())
      for _ in 0..<3 { display.loop.run(.noWait) }
      #expect(count.value == 0 && !second.isPrepared)
      second.waitUntilDisplayed()
      #expect(count.value == 1 && second.layer?.contents != nil)
      third.unload()
      // The node is released without being unloaded.
      unwanted = nil
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished && first.layer?.contents != nil)
      #expect(count.value == 1 && display.metrics.inFlightBytes == 0)
    }
  }
}
