import AsyncDisplay
import CardFeed
import Testing

@Suite("Layout and scroll")
struct LayoutTests {
  @Test("cards lie in columns without overlap, and a search finds exactly the visible cards")
  func columns() throws {
    let corpus = try smallCorpus()
    for (width, columns) in [(980.0, 3), (979, 2), (768, 2), (650, 2), (649, 1), (100, 1)] {
      let layout = FeedLayout(corpus, count: 100, width: width)
      #expect(Set(layout.frames.map(\.origin.x)).count == columns)
      for (index, frame) in layout.frames.enumerated() {
        for other in layout.frames[..<index] where other.origin.x == frame.origin.x {
          #expect(frame.origin.y >= other.maxY + FeedLayout.gap)
        }
      }
      for top in stride(from: -500.0, to: layout.height + 500, by: 333) {
        let seen = layout.frames.indices.filter {
          layout.frames[$0].maxY > top && layout.frames[$0].origin.y < top + 1024
        }
        #expect(layout.cards(from: top, to: top + 1024) == seen)
      }
    }
  }

  @Test(
    "a scroll position is a function of time, stays in range, does not jump, and turns at the ends"
  )
  func scripts() {
    let range = 0.0...5000
    let scripts: [ScrollScript] = [
      .steady(pointsPerSecond: 3000), .turning(pointsPerSecond: 3000),
      .flings(pointsPerSecond: 3000), .still,
    ]
    for script in scripts {
      var last = script.position(at: 0, in: range)
      for frame in 1..<1200 {
        let place = script.position(at: Double(frame) / 60, in: range)
        #expect(range.contains(place) && abs(place - last) <= 50.1, "\(script) at \(frame)")
        last = place
      }
    }
    #expect(scripts[0].position(at: 2, in: range) == 4000)
    #expect(scripts[0].position(at: 3, in: 0...0) == 0)
    // The whole distance of a fling with speed v is v / -ln(0.998)
    // milliseconds.
    #expect(abs(ScrollScript.fling(1000, for: 60) - 499.5) < 0.1)
    let slope = ScrollScript.fling(1000, for: 1.0001) - ScrollScript.fling(1000, for: 1)
    #expect(abs(slope / 0.0001 - 1000 * 0.135) < 1)
  }
}
