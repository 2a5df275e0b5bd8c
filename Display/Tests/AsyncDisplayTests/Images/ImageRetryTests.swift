import AsyncDisplay
import Foundation
import LoopTransactions
import Testing

@Suite("Retrying failed images")
struct ImageRetryTests {
  private func node(_ image: ImageSource) -> ImageNode {
    let node = ImageNode()
    node.frame = Rect(x: 0, y: 0, width: 8, height: 8)
    node.image = image
    return node
  }

  // D2, D10
  @Test(
    "a modification that throws CancellationError without being cancelled is reported as a failure"
  )
  func throwsCancellation() throws {
    for isAsynchronous in [true, false] {
      try withDisplay { display in
        let node = node(.data(Pictures.file("png", 8, 8)))
        node.displaysAsynchronously = isAsynchronous
        node.modification = ImageModification("odd") { _, _, _ in throw CancellationError() }
        node.load(in: display)
        let isFinished = display.settle()
        #expect(isFinished && node.failure is CancellationError)
        #expect(node.hasDisplayedHierarchy && display.metrics.cleared == 1)
      }
    }
  }

  // D10
  @Test(
    "a file created after a failure is shown by the next display, however it is requested",
    arguments: ["displayed", "set", "loaded", "waited for"]
  )
  func later(_ way: String) throws {
    let path = NSTemporaryDirectory() + "/picture \(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try withDisplay { display in
      let node = node(.file(path))
      node.load(in: display)
      var isFinished = display.settle()
      #expect(isFinished && node.layer?.contents == nil)
      #expect(node.failure as? ImageError == .unreadable(path: path, code: ENOENT))
      try Data(Pictures.file("png", 8, 8)).write(to: URL(fileURLWithPath: path))
      switch way {
      case "displayed": node.setNeedsDisplay()
      case "set": node.image = .file(path)
      case "loaded":
        node.unload()
        node.load(in: display)
      default: node.waitUntilDisplayed()
      }
      isFinished = display.settle()
      #expect(isFinished && node.failure == nil)
      #expect(node.layer?.contents?.pixel(7, 0) == 0xFFFF_0000)
    }
  }

  // D8, D10
  @Test("an image that ran out of memory is decoded again, and an image of a damaged file is not")
  func memory() throws {
    try withDisplay { display in
      let (count, damage) = (Counted(), Counted())
      let scarce = node(.data(Pictures.file("png", 8, 8)))
      scarce.modification = ImageModification("scarce") { bitmap, _, _ in
        if count.add() == 1 { throw DisplayError.noMemory(byteCount: 1) }
        return bitmap
      }
      let damaged = node(.data(Array(Pictures.file("png", 8, 8).dropLast(9))))
      damaged.modification = ImageModification("damaged") { bitmap, _, _ in
        damage.add()
        return bitmap
      }
      for node in [scarce, damaged] { node.load(in: display) }
      var isFinished = display.settle()
      #expect(isFinished && scarce.failure is DisplayError && damaged.failure is ImageError)
      #expect(!scarce.isPrepared && damaged.isPrepared)
      for node in [scarce, damaged] { node.setNeedsDisplay() }
      isFinished = display.settle()
      #expect(isFinished && scarce.failure == nil && damaged.failure is ImageError)
      #expect(scarce.layer?.contents?.pixel(7, 0) == 0xFFFF_0000)
      #expect(count.value == 2 && damage.value == 0)
    }
  }

  @Test("canvases and mixed texts also retry their images")
  func canvas() throws {
    let path = NSTemporaryDirectory() + "/picture \(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try withDisplay { display in
      let canvas = CanvasNode()
      canvas.frame = Rect(x: 0, y: 0, width: 8, height: 8)
      canvas.backgroundImage = .file(path)
      let text = MixedNode()
      text.frame = Rect(x: 0, y: 0, width: 40, height: 40)
      text.content.append(InlineImage(.file(path), size: Size(width: 8, height: 8)))
      for node in [canvas, text] { node.load(in: display) }
      #expect(display.settle() && canvas.hasDisplayedHierarchy && text.hasDisplayedHierarchy)
      try Data(Pictures.file("png", 8, 8)).write(to: URL(fileURLWithPath: path))
      for node in [canvas, text] { node.setNeedsDisplay() }
      #expect(display.settle())
      for node in [canvas, text] {
        let isThere = node.layer?.contents?.withPixels { $0.contains(0xFFFF_0000) }
        #expect(isThere == true)
      }
    }
  }
}
