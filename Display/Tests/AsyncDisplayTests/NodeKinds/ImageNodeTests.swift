import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Synchronization
import Testing

@Suite("ImageNode")
struct ImageNodeTests {
  private func node(_ image: ImageSource?, _ frame: Rect = Rect(x: 0, y: 0, width: 8, height: 8))
    -> ImageNode
  {
    let node = ImageNode()
    node.frame = frame
    node.image = image
    return node
  }

  // D10
  @Test("an image is decoded off the loop and then drawn")
  func draws() throws {
    try withDisplay { display in
      let node = node(.data(Pictures.file("png", 8, 8)))
      node.load(in: display)
      #expect(!node.isPrepared)
      display.loop.run(.noWait)
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(node.isPrepared && node.failure == nil)
      #expect(node.layer?.contents?.pixel(7, 0) == 0xFFFF_0000)
      #expect(display.metrics.begun == 1)
    }
  }

  // D10, O10
  @Test("concurrent requests for equal images share one decoding, including the modification")
  func shares() throws {
    try withDisplay { display in
      let count = Counted()
      let bytes = Pictures.file("png", 8, 8)
      let gate = Gate()
      let nodes = (0..<5).map { number in
        let node = node(.data(bytes))
        node.modification = ImageModification(number < 4 ? "same" : "other") { bitmap, _, _ in
          count.add()
          gate.wait()
          return bitmap
        }
        node.load(in: display)
        return node
      }
      display.loop.run(.noWait)
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(count.value == 2)
      #expect(nodes.allSatisfy { $0.layer?.contents?.pixel(7, 0) == 0xFFFF_0000 })
    }
  }

  // D10, D13
  @Test("a rasterized tree is drawn once all of its images are decoded or have failed")
  func appearsTogether() throws {
    try withDisplay { display in
      let root = Node()
      root.frame = Rect(x: 0, y: 0, width: 24, height: 8)
      root.rasterizesSubtree = true
      let gate = Gate()
      let late = node(.data(Pictures.file("png", 8, 8)))
      late.modification = ImageModification("late") { bitmap, _, _ in
        gate.wait()
        return bitmap
      }
      let missing = node(.file("/nowhere.png"), Rect(x: 8, y: 0, width: 8, height: 8))
      let early = node(
        .data(Pictures.file("jpeg", 8, 8)),
        Rect(x: 16, y: 0, width: 8, height: 8)
      )
      for part in [late, missing, early] { root.addSubnode(part) }
      root.load(in: display)
      while !early.isPrepared || !missing.isPrepared { display.loop.run(.noWait) }
      #expect(display.metrics.begun == 0)
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(display.metrics.begun == 1)
      let isRefused = (missing.failure as? ImageError) == .unreadable(path: "/nowhere.png", code: 2)
      #expect(isRefused)
      let bitmap = try #require(root.layer?.contents)
      #expect(bitmap.pixel(7, 0) == 0xFFFF_0000 && bitmap.pixel(12, 4) == 0)
      #expect(bitmap.pixel(20, 4) >> 24 == 255)
    }
  }

  // D10
  @Test("cancelling an image cancels its decoding and modification, and a new request decodes it")
  func cancelled() throws {
    try withDisplay { display in
      let node = node(.data(Pictures.file("png", 8, 8)))
      let (began, seen) = (Gate(), Gate())
      let count = Counted()
      node.modification = ImageModification("slow") { bitmap, _, isCancelled in
        if count.add() > 1 { return bitmap }
        began.open()
        while !isCancelled() {}
        seen.open()
        throw CancellationError()
      }
      node.load(in: display)
      display.loop.run(.noWait)
      #expect(began.wait())
      node.cancelDisplay()
      #expect(seen.wait())
      var isFinished = display.settle()
      #expect(isFinished)
      #expect(display.metrics.begun == 0 && node.layer?.needsDisplay == true)
      node.waitUntilDisplayed()
      #expect(node.layer?.contents?.pixel(7, 0) == 0xFFFF_0000)
      isFinished = display.settle()
      #expect(isFinished)
    }
  }

  // D10
  @Test("a detached tree decodes its images only after it is attached")
  func detached() throws {
    try withDisplay(workers: 1) { display in
      let gate = Gate()
      display.scheduler.add(priority: .interactive) { _ in gate.wait() }
      let node = node(.data(Pictures.file("png", 8, 8)))
      let count = Counted()
      node.modification = ImageModification("counted") { bitmap, _, _ in
        count.add()
        return bitmap
      }
      node.load(in: display)
      node.isDetached = true
      node.setNeedsDisplay()
      gate.open()
      var isFinished = display.settle()
      #expect(isFinished && display.metrics.begun == 0)
      #expect(count.value == 0)
      node.isDetached = false
      isFinished = display.settle()
      #expect(isFinished && display.metrics.displayed == 1)
      #expect(count.value == 1)
    }
  }

  // D8, D10
  @Test("with keepsImage off an image is released when displayed and decoded again when needed")
  func notKept() throws {
    try withDisplay { display in
      let root = Block("", Rect(x: 0, y: 0, width: 8, height: 8), .blue)
      root.rasterizesSubtree = true
      let node = node(.data(Pictures.file("png", 8, 8)))
      node.keepsImage = false
      root.addSubnode(node)
      root.load(in: display)
      for _ in 0..<3 {
        let isFinished = display.settle()
        #expect(isFinished)
        // After the worker has released the bitmap that it delivered, only the
        // contents remain.
        let deadline = LoopClock.now.advanced(by: .seconds(20))
        while display.pool.metrics.lent != 1, LoopClock.now < deadline {}
        #expect(display.pool.metrics.lent == 1)
        #expect(root.layer?.contents?.pixel(7, 0) == 0xFFFF_0000)
        // A change of the root, of its size or of the layer itself waits for
        // the image.
        root.backgroundColor = .green
        root.frame.size.height += 1
        root.layer?.setNeedsDisplay()
      }
      #expect(display.metrics.begun == 3)
    }
  }

  // D12, O2
  @Test("the priority of a tree applies to its decoding")
  func priority() throws {
    try withDisplay(workers: 1) { display in
      let (gate, began, trace) = (Gate(), Gate(), Trace())
      display.scheduler.add(priority: .interactive) { _ in
        began.open()
        gate.wait()
      }
      #expect(began.wait())
      let nodes = (0..<3).map { number in
        let node = node(.data(Pictures.file("png", 8 + number, 8)))
        node.modification = ImageModification("\(number)") { bitmap, _, _ in
          trace.record("\(number)")
          return bitmap
        }
        node.load(in: display)
        return node
      }
      for (number, node) in nodes.enumerated() { node.priority = OperationPriority(number) }
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(trace.events == ["2", "1", "0"])
    }
  }

  // D10
  @Test("a new image replaces an image that is being decoded, which is never shown")
  func replaced() throws {
    try withDisplay { display in
      let node = node(.data(Pictures.file("png", 8, 8)))
      let gate = Gate()
      node.modification = ImageModification("slow") { bitmap, _, _ in
        gate.wait()
        return bitmap
      }
      node.load(in: display)
      display.loop.run(.noWait)
      let blue = try Bitmap.draw(PixelSize(width: 1, height: 1), from: display.pool) {
        $0.fill(with: .blue)
      }
      node.modification = nil
      node.image = .bitmap(blue)
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(node.layer?.contents?.pixel(4, 4) == 0xFF00_00FF)
      #expect(display.metrics.displayed == 1)
      #expect(node.isPrepared)
    }
  }

  // D10
  @Test(
    "an image fills its node according to the content mode",
    arguments: [
      (ContentMode.scale, [0, 0, 8, 16]), (.aspectFit, [0, 4, 8, 12]),
      (.aspectFill, [0, 0, 8, 16]), (.center, [2, 6, 6, 10]),
    ]
  )
  func modes(_ mode: ContentMode, _ covered: [Int]) throws {
    try withDisplay { display in
      let square = try Bitmap.draw(PixelSize(width: 4, height: 4), from: display.pool) {
        $0.fill(with: .blue)
      }
      let node = node(.bitmap(square), Rect(x: 0, y: 0, width: 8, height: 16))
      node.contentMode = mode
      node.load(in: display)
      node.waitUntilDisplayed()
      let bitmap = try #require(node.layer?.contents)
      for y in 0..<16 {
        for x in 0..<8 {
          let isInside = (covered[0]..<covered[2]) ~= x && (covered[1]..<covered[3]) ~= y
          #expect((bitmap.pixel(x, y) == 0xFF00_00FF) == isInside, "\(x), \(y)")
        }
      }
    }
  }

  // D14
  @Test("an image decoded and drawn on the loop has the same bytes")
  func sameBytes() throws {
    try withDisplay { display in
      let nodes = [true, false].map { isAsynchronous in
        let node = node(
          .data(Pictures.file("jpeg", 31, 17)),
          Rect(x: 0, y: 0, width: 20, height: 20)
        )
        node.modification = .blur(BlurFilter(radius: 3, saturation: 1.8))
        node.displaysAsynchronously = isAsynchronous
        node.load(in: display, scale: 2)
        return node
      }
      let isFinished = display.settle()
      #expect(isFinished)
      let pictures = try nodes.map { try #require($0.layer?.contents) }
      let isSame = pictures[0].hasSamePixels(as: pictures[1])
      #expect(isSame)
    }
  }
}

/// A counter that any thread can use.
final class Counted: Sendable {
  // Relaxed: the count is read only after all threads have ended their work.
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  @discardableResult
  func add() -> Int { count.add(1, ordering: .relaxed).newValue }
}
