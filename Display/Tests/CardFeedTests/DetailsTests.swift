import AsyncDisplay
import CardFeed
import LoopTransactions
import Testing

@Suite("Details")
struct DetailsTests {
  @Test("the details view shows its picture pixel by pixel, in the size of the panel")
  func sharp() throws {
    try withFeed(.a4) { feed, loop in
      let loader = DetailsLoader(feed.corpus, stage: feed.stage)
      let (panel, content) = (Size(width: 720, height: 496), feed.corpus[4])
      loader.onChange = { if loader.isComplete { loop.stop() } }
      loader.show(4, in: panel, scale: 0.125)
      loop.run()
      let shown = try #require(loader.contents)
      // The picture of the card has only 32 pixels.
      let width = shown.pixels.width
      #expect(width == 90 && content.pixels.width < width)
      // The height is rounded up to a whole pixel.
      let ratio = Double(content.pixels.height) / Double(content.pixels.width)
      let size = PixelSize(width: width, height: Int((Double(width) * ratio).rounded(.up)))
      let picture = try ImageSource.data(content.picture(of: size)).decode(from: BitmapPool())
      #expect(picture.pixels == size)
      // The panel has 62 rows, and the place of the picture about 62 % of them.
      let (cut, rows) = (25, 40)
      #expect(size.height == cut + rows + cut)
      let isSame = shown.withPixels { shown in
        picture.withPixels { picture in
          (0..<width * rows).allSatisfy { shown[$0] == picture[$0 + width * cut] }
        }
      }
      #expect(isSame)
      loader.clear()
      #expect(loader.contents == nil && loader.height == nil)
    }
  }

  @Test("a picture that is as large as its place is not rendered again, and rendering is cancelled")
  func originals() throws {
    let content = try smallCorpus().cards[1]
    #expect(try content.picture(of: content.pixels) == content.picture)
    let larger = PixelSize(width: 2 * content.pixels.width, height: 2 * content.pixels.height)
    #expect(try content.picture(of: larger) != content.picture)
    #expect(throws: CancellationError.self) { try content.picture(of: larger) { true } }
  }
}
