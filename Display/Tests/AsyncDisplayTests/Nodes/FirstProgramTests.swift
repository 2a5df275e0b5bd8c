import AsyncDisplay
import LoopTransactions
import Testing

@Suite("The first program of the documentation")
struct FirstProgramTests {
  @Test("it draws a text of 400 by 80 pixels on a worker")
  func text() throws {
    // snippet.program
    let loop = try EventLoop()
    let display = Display(on: loop)
    var title: TextNode?

    display.build { _ -> sending TextNode in
      let node = TextNode()  // built and laid out on a worker
      node.frame = Rect(x: 0, y: 0, width: 200, height: 40)
      let font = Font("DejaVu Sans", size: 24)
      node.text = AttributedText("Hello", TextAttributes(font: font))
      return node
    } completion: { outcome in
      title = outcome.value
      title?.load(in: display, scale: 2)  // drawn into a bitmap on a worker
    }

    loop.run()  // returns when the bitmap is shown
    let pixels = title?.layer?.contents?.pixels
    print("\(pixels?.width ?? 0) x \(pixels?.height ?? 0) pixels")
    title?.unload()
    try loop.close()
    // snippet.end
    #expect(pixels?.width == 400)
    #expect(pixels?.height == 80)
  }
}
