import CardFeed
import LoopTransactionsTesting
import Testing

@Suite("Regions")
struct RegionTests {
  private func random(_ generator: inout SeededGenerator) -> PixelRect {
    func number(_ limit: UInt64) -> Int { Int(generator.next() % limit) }
    return PixelRect(x: number(20) - 2, y: number(20) - 2, width: number(9), height: number(9))
  }

  private func pixels(_ rects: [PixelRect]) -> [PixelRect] {
    rects.flatMap { rect in
      (rect.y..<max(rect.y, rect.bottom)).flatMap { y in
        (rect.x..<max(rect.x, rect.right)).map { PixelRect(x: $0, y: y, width: 1, height: 1) }
      }
    }
  }

  @Test("a region contains each added pixel once, and no other pixel up to its limit")
  func exact() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<Workload.count(400) {
      var (region, all) = (Region(), Set<PixelRect>())
      for _ in 0..<6 {
        let rect = random(&generator)
        region.add(rect)
        all.formUnion(pixels([rect]))
      }
      let found = pixels(region.rects)
      #expect(Set(found).count == found.count && region.area == found.count)
      // More rectangles than the limit become one, which may contain more.
      #expect(region.rects.count == 1 || Set(found) == all)
      #expect(Set(found).isSuperset(of: all))
      #expect(all.allSatisfy { region.contains(x: $0.x, y: $0.y) })
    }
  }

  @Test("a region of many scattered rectangles becomes the rectangle around them")
  func limited() {
    var region = Region()
    for index in 0...Region.limit {
      region.add(PixelRect(x: 2 * index, y: 0, width: 1, height: 1))
    }
    #expect(region.rects == [PixelRect(x: 0, y: 0, width: 2 * Region.limit + 1, height: 1)])
  }

  @Test("subtracting a rectangle leaves exactly the pixels outside it")
  func subtracts() {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<Workload.count(400) {
      let (rect, hole) = (random(&generator), random(&generator))
      let parts = pixels(rect.subtracting(hole))
      #expect(Set(parts) == Set(pixels([rect])).subtracting(pixels([hole])))
      #expect(Set(parts).count == parts.count)
    }
  }
}
